"""The words of lists in ten languages and more: headings of columns, and how a car ended. Both are compared without
accents, case and signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from championship.lists.found import Status

_PLAIN = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ß": "ss"})


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return a text in small plain letters and digits, with one blank wherever there was something else."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W_]+", plain))


HEADINGS: Mapping[str, str] = {
    "mail": (
        "adresse electronique, "
        "email, e mail, mail, e mail address, email address, mail address, adres e mail, adres email, adres, "
        "poczta, e mail adresse, mailadresse, emailadresse, correo, correo electronico, courriel, adresse e mail, "
        "adresse mail, adresse email, posta, posta elettronica, indirizzo e mail, indirizzo email, e mailova "
        "adresa, mejl, e mailadres, mailadres, emailadres"
    ),
    "name": (
        "пилот, гонщик, водитель, участник, имя, фамилия имя, фамилия и имя, игрок, пілот, учасник, возач, пилоти, "
        "οδηγοσ, ονομα, ονοματεπωνυμο, παικτησ, αγωνιζομενοσ, "
        "nom complet, volledige naam, cele jmeno, "
        "name, driver, drivers, member, full name, driver name, drivername, displayname, display name, player, "
        "player name, playername, racer, participant, competitor, entrant, imie i nazwisko, nazwisko i imie, "
        "kierowca, czlonek, zawodnik, gracz, uczestnik, fahrer, fahrerin, fahrername, mitglied, vorname und "
        "nachname, vorname nachname, name vorname, nachname vorname, spieler, teilnehmer, teilnehmerin, pilot, "
        "pilote, conducteur, nom et prenom, nom prenom, prenom nom, prenom et nom, joueur, membre, concurrent, "
        "piloto, conductor, nombre y apellidos, nombre completo, apellidos y nombre, jugador, corredor, "
        "participante, miembro, pilota, conducente, nome e cognome, cognome e nome, giocatore, partecipante, "
        "concorrente, nominativo, jezdec, ridic, jmeno a prijmeni, prijmeni a jmeno, hrac, ucastnik, zavodnik, "
        "clen, coureur, bestuurder, rijder, naam, speler, deelnemer, lid, piloot, users, user, nick, nickname, "
        "username, gamertag"
    ),
    "first": (
        "first name, firstname, given name, givenname, forename, first, vorname, imie, prenom, nombre, nome, jmeno, "
        "krestni jmeno, voornaam"
    ),
    "last": (
        "last name, lastname, surname, family name, familyname, last, nachname, familienname, zuname, nazwisko, "
        "nom, nom de famille, apellido, apellidos, cognome, prijmeni, achternaam, familienaam"
    ),
    "codriver": (
        "штурман, συνοδηγοσ, сувозач, "
        "co driver, codriver, co drivers, codrivers, navigator, passenger, co pilot, copilot, beifahrer, "
        "beifahrerin, copilote, co pilote, copiloto, navegante, navigante, copilota, navigatore, spolujezdec, "
        "bijrijder, bijrijdster, navigateur"
    ),
    "crew": (
        "экипаж, екіпаж, посада, πληρωμα, "
        "crew, zaloga, besatzung, equipage, tripulacion, equipaggio, posadka, bemanning, driver codriver, driver co "
        "driver, drivers codrivers, fahrer beifahrer, fahrer und beifahrer, kierowca pilot, pilote copilote, piloto "
        "copiloto, pilota navigatore, jezdec spolujezdec, rijder navigator"
    ),
    "team": (
        "команда, тим, ομαδα, "
        "team, team name, zespol, druzyna, mannschaft, rennstall, ecurie, equipe, equipo, escuderia, squadra, "
        "scuderia, tym, ploeg, stal, constructor"
    ),
    "class": (
        "класс, клас, класа, зачет, κατηγορια, κλαση, "
        "class, car class, klasa, klasa auta, klasse, fahrzeugklasse, wagenklasse, classe, clase, categoria, "
        "categorie, trida, kategorie, group, gruppe, cat, kl, cl, division, category, carclass"
    ),
    "car": (
        "автомобиль, машина, авто, αυτοκινητο, "
        "car, vehicle, auto, samochod, fahrzeug, wagen, voiture, coche, vehiculo, vettura, macchina, vuz, "
        "automobil, model, chassis, carname, car name, wagen modell, vehicule, pojazd, voertuig, car model, "
        "carmodel, vehicle name"
    ),
    "number": (
        "номер, стартовыи номер, ст номер, αριθμοσ, "
        "number, start number, no, start no, nr, numer, numer startowy, nr startowy, nummer, startnummer, start nr, "
        "startnr, car no, car number, carnumber, car nr, racing number, racenumber, race number, num, numero, "
        "numero de depart, dossard, dorsal, numero di gara, n gara, cislo, startovni cislo, st c, st cislo, "
        "rugnummer, bib, n, st nr, stnr, nr st, startovni c, c"
    ),
    "place": (
        "место, позиция, місце, место у пласману, пласман, θεση, καταταξη, m ce, m sce, "
        "fin pos, "
        "place, position, pos, rank, ranking, rk, p, miejsce, pozycja, lokata, m, msc, platz, platzierung, rang, "
        "pl, plz, classement, clt, cla, puesto, posicion, clasificacion, posizione, classifica, poradi, misto, "
        "umisteni, por, plaats, positie, overall position, finish, finishing position, finish position, finishpos, "
        "finishposition, position text, place overall, pl overall, gesamtplatz, poz, overall, pozice, posto, plts"
    ),
    "status": (
        "статус, κατασταση, reason out, out reason, "
        "status, state, stan, zustand, statut, etat, estado, stato, stav, classified, finish status, finishstatus, "
        "resultstatus"
    ),
    "reason": (
        "причина, примечание, комментарии, примітка, αιτια, παρατηρησεισ, "
        "reason, remark, remarks, note, notes, comment, comments, bemerkung, bemerkungen, anmerkung, anmerkungen, "
        "grund, ausfallgrund, uwagi, przyczyna, powod, remarque, remarques, observations, observaciones, "
        "observacion, motivo, poznamka, duvod, opmerking, opmerkingen, reden, retirement reason, retired because, "
        "cause, osservazioni, causa, penalties and decisions, strafen und entscheidungen, kary i decyzje"
    ),
    "rally": (
        "ралли, гонка, соревнование, ралі, рели, αγωνασ, ραλι, "
        "rally, round, race, event, rajd, runda, rallye, lauf, rennen, veranstaltung, wyscig, eliminacja, zawody, "
        "impreza, manche, epreuve, course, evenement, prueba, carrera, ronda, evento, gara, zavod, kolo, soutez, "
        "ronde, wedstrijd, venue, gp, grand prix, race name, rally name, event name, eventname, track, trackname, "
        "game, gra, spiel, jeu, circuit"
    ),
    "date": (
        "дата, день, ημερομηνια, "
        "date, day, data, dzien, datum, tag, jour, fecha, dia, giorno, den, dag, when, termin, year, jahr, rok, "
        "annee, ano, anno, jaar, season, saison, sezon, first day, erster tag, pierwszy dzien, started, played, "
        "play date, playdate, played on, date played"
    ),
    "points": (
        "очки, баллы, бали, бодови, поени, βαθμοι, champ points, championship pts, "
        "points, pts, pkt, punkty, punkte, pt, pnt, pnkt, puntos, ptos, punti, body, punten, ptn, score, points "
        "scored, b, pct, championship points, "
        "meisterschaftspunkte, punkty mistrzostw, wm punkte, pisteet, points total, scores, punktow"
    ),
    "power": (
        "power stage, ps, power stage points, ps points, powerstage, ps pts, power stage punkte, ps punkte, ps pkt, "
        "power stage pts, punkte der power stage, punkty power stage, points power stage, puntos power stage, punti "
        "power stage, body power stage"
    ),
    "bonus": (
        "bonus, bonus points, bonuspunkte, punkty bonusowe, bonusy, bonusove body, bonuspunten, puntos extra, extra "
        "points, extra"
    ),
    "time": (
        "время, общее время, час, време, χρονοσ, συνολικοσ χρονοσ, "
        "final time, "
        "time, total time, czas, czas laczny, zeit, gesamtzeit, laufzeit, fahrzeit, temps, temps total, tiempo, "
        "tiempo total, tempo, tempo totale, cas, celkovy cas, tijd, totale tijd, eindtijd, race time, finish time, "
        "time retired, time ret, time or retired, temps abandon, zeit ausfall, czas wycofanie, "
        "elapsed, total s, gesamt s, suma s, totaltime, racetime, endzeit, czas koncowy, temps final, czas ogolny, "
        "total time s, razem s, elapsed time, finishtime"
    ),
    "total": (
        "итого, всего, сумма, разом, укупно, συνολο, "
        "razem punktow, "
        "total, sum, suma, razem, lacznie, ogolem, gesamt, summe, insgesamt, somme, totale, celkem, soucet, totaal, "
        "ges, tot, total points, gesamtpunkte, punkte gesamt, suma punktow, overall points, season total, total "
        "pts, total points scored, celkem bodu, punti totali, puntos totales, points totaux, totaal punten, grand "
        "total, wynik laczny, net, net total"
    ),
    "gap": (
        "отставание, відставання, заостатак, διαφορα, "
        "gap, diff, difference, strata, roznica, ruckstand, abstand, differenz, ecart, diferencia, dif, distacco, "
        "ztrata, odstup, achterstand, verschil, behind, to leader, diff first, diff 1st, diff leader, gap s, gap to "
        "leader, gap to first, zur spitze, ruckstand s, strata s, diff to first, time behind, retard"
    ),
    "interval": (
        "interval, diff prev, diff previous, intervall, gap to previous, zum vordermann, int, diff prec, previous"
    ),
    "penalty": (
        "штраф, пенализация, пенализации, ποινη, "
        "penalty, penalties, pen, kary, kara, strafe, strafen, strafzeit, penalite, penalites, penalizacion, "
        "penalizaciones, penalita, penalizace, straf, straftijd, road penalties, time penalty, pen time, penalty "
        "time, strafsekunden, penalties for the whole rally s, penalties for the whole rally, penalties for the whole "
        "event, zeitstrafen der ganzen rallye s, strafen fur die ganze rallye, strafen fur die ganze veranstaltung, "
        "kary za caly rajd s, kary za caly rajd, kary za cale zawody"
    ),
    "result": (
        "результат, αποτελεσμα, "
        "result, results, ergebnis, resultat, wynik, wyniki, resultado, resultats, risultato, vysledek, resultaat, "
        "uitslag, finalresult"
    ),
    "stages": "stages, odcinki, etapy, prufungen, etappen",
    "ignore": (
        "penalty pts, penalty points, strafpunkte, punkty karne, points de penalite, "
        "finish position in class, position in class, pos in class, place in class, best lap time, cup category, "
        "car cup category, "
        "laps, runden, okrazenia, tours, vueltas, giri, ronden, po odrzuceniu, nach streichern, after drops, netto, "
        "start pos, fin pos in class, cust id, car id, winner, "
        "wins, siege, zwyciestwa, rallies won, championship, mistrzostwa, meisterschaft, last day, letzter tag, "
        "ostatni dzien, flag, nation, nat, country, land, kraj, pays, pais, paese, zeme, club, verein, klub, "
        "license, licence, licencia, lizenz, id, guid, steamid, updated, created, average, avg, podiums, starts, "
        "best, drop, dropped, streicher, streichresultat, sponsor, tyres, phone, telefon, duration, durchschnitt, "
        "srednia, moyenne, media, prumer, gemiddelde, speed, grid, startposition, grid position, start position, "
        "startpos, best time, besttime, gewertet, incidents, inc, laps complete, laps completed, laps led, starting "
        "position, qualifying position, qualifying time, old irating, new irating, missing mandatory pitstop"
    ),
}
"""Headings, folded, by role."""
ROLE_OF = {word.strip(): role for role, words in HEADINGS.items() for word in words.split(",")}

_STAGE_WORDS = (
    "су|допы?|спецучасток|ее|εδ|ειδικη|"
    "ss|os|oes|wp|sp|es|ps|rz|tc|kp|ek|sss|leg|stage|special stage|prufung|wertungsprufung|odcinek|prova|"
    "prova speciale|speciale|tramo|etape|etap|etappe|epreuve speciale|epreuve|rychlostni zkouska|klassementsproef|"
    "proef|time|czas|zeit|temps|tiempo|tempo|cas|tijd|result|wynik|ergebnis|section|speciala|st|sz"
)
STAGE = re.compile(
    rf"(?:{_STAGE_WORDS})[ ]?(\d{{1,2}})[a-z]?(?:[ ].*)?|(\d{{1,2}})[ ](?:ss|os|wp|stage|prufung|odcinek)"
)
"""A folded heading of a stage: SS1, WP 2, OS3 Name."""
_ROUND_WORDS = (
    "r|rd|rnd|round|lauf|l|runda|rally|rallye|rajd|rennen|race|gp|manche|gara|zavod|ronde|ronda|carrera|prueba|"
    "этап|раунд|етап|коло|гонка|αγωνας|γυρος|eliminacja|evento|event|game|wedstrijd|kolo|course|spieltag|heat|wertungslauf"
)
ROUND = re.compile(
    rf"(?:{_ROUND_WORDS})[ ]?(\d{{1,3}})(?:[ ].*)?|(\d{{1,3}})(?:[ ](?:{_ROUND_WORDS}|st|nd|rd|th)(?:[ ].*)?)?"
)
"""A folded heading of a round: R1, 1. Lauf, Round 2 Foxwood, or the number alone."""
SUBHEADS = {
    "place": ("place, pos, position, p, platz, miejsce, clt, pl, pozycja, puesto, posizione, poradi, plaats, rank"),
    "points": "points, pts, punkte, punkty, pkt, pt, puntos, punti, body, punten, score",
    "time": "time, zeit, czas, temps, tiempo, tempo, cas, tijd",
    "total": (
        "total s, gesamt s, suma s, razem s, total points, place with penalties, gesamtpunkte, punkte gesamt, suma "
        "punktow, razem punktow"
    ),
    "retired": "retired, ausgeschieden, wycofany, wycofanie, ausfall",
    "ignore": (
        "time s, zeit s, czas s, time control s, penalties s, strafen s, kary s, place driven, points driven, ps, "
        "power stage, bonus"
    ),
}
SUBROLE_OF = {word.strip(): role for role, words in SUBHEADS.items() for word in words.split(",")}
FINAL_TITLES = frozenset(
    word.strip()
    for word in [
        "endstand",
        " gesamtwertung",
        " gesamtstand",
        " endklassement",
        " final standings",
        " overall standings",
        " championship standings",
        " season standings",
        " standings",
        " klasyfikacja generalna",
        " klasyfikacja koncowa",
        " tabela koncowa",
        " stan koncowy",
        " classement final",
        " classement general",
        " classifica finale",
        " classifica generale",
        " clasificacion final",
        " clasificacion general",
        " eindstand",
        " celkove poradi",
        " konecne poradi",
    ]
)
"""Titles of the table of a season below those of its rounds."""
TOTAL_LINES = frozenset(
    word.strip()
    for word in [
        "total",
        " итого",
        " всего",
        " сумма",
        " разом",
        " укупно",
        " συνολο",
        " totals",
        " sum",
        " suma",
        " razem",
        " lacznie",
        " ogolem",
        " gesamt",
        " summe",
        " insgesamt",
        " somme",
        " totale",
        " celkem",
        " soucet",
        " totaal",
        " average",
        " avg",
        " durchschnitt",
        " srednia",
        " moyenne",
        " media",
        " prumer",
        " gemiddelde",
        " mittelwert",
        " schnitt",
        " grand total",
        " subtotal",
        " zwischensumme",
        " total general",
        " count",
        " anzahl",
    ]
)
"""What stands in the place of a name in a line of totals."""

STATUSES: Mapping[Status, str] = {
    "retired": (
        "сход, сошел, сошел, снят, схід, зіишов, одустао, εγκατελειψε, εγκαταλειψη, disconnected, disconnect, "
        "aufg, aufgeg, aufgegeben, odp, odpadl, odpadla, "
        "ret, retd, rtd, retired, retirement, dnf, r, did not finish, not finished, out, abd, abandon, abandoned, "
        "abandono, ab, aband, retirado, retire, retiree, ritirato, ritirata, rit, wyc, wycofanie, wycofany, wycofal "
        "sie, nie ukonczyl, ausf, ausfall, ausgefallen, ausgeschieden, aufgabe, odst, odstoupil, odstoupila, "
        "nedokoncil, uitgevallen, uitv, uitval, opgave, nf, no finish, kolizja, nu, non finisher, non arrive, np "
        "finish, no termino"
    ),
    "not_classified": (
        "н кл, не классифицирован, вне зачета, вне зачета, "
        "nc, n c, n k, not classified, unclassified, nicht klassiert, nicht klassifiziert, nicht gewertet, nk, n kl, "
        "nkl, nekl, neklasifikovan, niesklasyfikowany, nieklasyfikowany, nskl, nieskl, non classe, no clasificado, "
        "non classificato, niet geklasseerd, otl, over time limit, nw nicht gewertet, ncl"
    ),
    "excluded": (
        "дискв, дисквалификация, дисквалифицирован, исключен, исключен, αποκλεισμοσ, αποκλειστηκε, "
        "ausg, dsq, dq, dsqd, disq, dis, ex, exc, excl, excluded, exclusion, disqualified, disqualification, "
        "disqualifiziert, dsk, ausgeschlossen, wertungsausschluss, dyskwalifikacja, zdyskwalifikowany, dysk, wykl, "
        "wykluczony, wykluczenie, exclu, exclue, disqualifie, descalificado, desc, excluido, squalificato, squal, "
        "sq, esc, escluso, vyloucen, diskvalifikovan, diskvalifikace, diskw, gediskwalificeerd, uitgesloten, eject, "
        "bsp"
    ),
    "withdrawn": (
        "wd, w d, wdn, withdrawn, withdrew, withdraw, zuruckgezogen, rueckzug, zg, forfait, retrait, zgloszenie "
        "wycofane, odhlasen, teruggetrokken, wth, ritirata iscrizione"
    ),
    "did_not_start": (
        "н с, не стартовал, не стартувал, не явился, неявка, δεν εκκινησε, "
        "n gest, nicht am start, "
        "dns, d n s, did not start, ns, n s, nst, nicht gestartet, nicht angetreten, na, n a, nie wystartowal, nie "
        "startowal, nstart, non partant, non partente, non partito, no salio, no tomo la salida, nepartecipato, "
        "nestartoval, nestartovala, niet gestart, dnp, absent, abwesend, nieobecny, n g, did not participate, did "
        "not attend, dna, np, nt"
    ),
    "did_not_qualify": (
        "dnq, dnpq, nq, did not qualify, not qualified, nicht qualifiziert, nie zakwalifikowal sie, non qualifie, "
        "no clasifico, non qualificato, nekvalifikoval se, niet gekwalificeerd"
    ),
    "classified": (
        "ok, fin, finished, classified, finisher, gewertet, sklasyfikowany, classe, clasificado, classificato, "
        "ziel, meta, superally, super rally, rally2, rally 2, sr, restart, finishednormally, running"
    ),
}
STATUS_OF: dict[str, Status] = {word.strip(): status for status, words in STATUSES.items() for word in words.split(",")}
RESTARTED = frozenset({"superally", "super rally", "rally2", "rally 2", "sr", "restart"})
SHORT = frozenset(word for word in STATUS_OF if len(word) <= 2)
"""Statuses so short that they count only when nothing follows but a sign."""
STATUS_START = r"(?:DNF|DNS|DSQ|DQ|DNQ|DNC|RET|NC|EX|WD|EXC|EXCL|WYC|ODP|AUSF|ABD|RIT)\b\.?:?"
LAPPED = re.compile(
    r"[+-]?[ ]?\d{1,2}[ ]?(?:l|laps?|rd|rdn|runden?|tours?|okr|okrążenia?|giri|giro|vueltas?|ronden?)\.?", re.IGNORECASE
)
"""A gap in laps: the list has no time."""
FIRST = frozenset(
    [
        "win",
        "winner",
        "won",
        "victory",
        "sieg",
        "sieger",
        "zwyciezca",
        "wygrana",
        "vainqueur",
        "victoire",
        "victoria",
        "vincitore",
        "vitez",
    ]
)
"""What stands for the first place."""
OUT_TITLES = frozenset(
    word.strip()
    for word in [
        "retirements",
        " retired",
        " retirements and exclusions",
        " dnf",
        " ausfalle",
        " ausgeschieden",
        " ausgefallen",
        " wycofania",
        " wycofani",
        " abandons",
        " abandonos",
        " ritiri",
        " ritirati",
        " odstoupili",
        " uitvallers",
        " did not finish",
    ]
)
"""Titles above the cars that retired."""
NOTHING = frozenset(
    {
        "",
        "-",
        "–",
        "—",
        "--",
        "---",
        "\\N",
        "\\n",
        ".",
        "x",
        "X",
        "/",
        "NULL",
        "null",
        "None",
        "nan",
        "NaN",
        "_",
        "−",
        "?",
    }
)
"""What people and programs write where there is nothing."""
