"""The pictures of a film: the map with the cars, below it who drives and what is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import cos, degrees, hypot, radians, sin

from PIL import Image, ImageDraw, ImageFont

from championship.films.encoding import A_SECOND, Picture
from championship.films.script import CarName, Script, Shot
from championship.papers import colours
from championship.papers.fonts import BOLD, REGULAR, legible
from championship.papers.picture_parts import fitted, gravel, lines_of, write
from championship.runs.road_views import Box, CarSpot

SIDE, STRIP = 720, 152
"""The width and height of a picture, and the height of the strip with words."""
MAP = SIDE - STRIP
EDGE = 24
REACHES = 2.1
"""How many times the half width of a small road view the camera reaches to each side."""
ALL_AT_ONCE = 1.7
"""A map that is not larger than so many windows is shown as a whole."""
MOST_PIXELS = 1_600_000
"""The drawn map has at most so many pixels."""
CAR = 15
"""The radius of a car in pixels."""
FINER = 4
"""How many times larger a car is drawn, so that its edges are smooth."""
FINE = CAR * FINER
MOST_DISCS = 32
"""How many plates of cars are kept between pictures: 225 KiB each."""
INSET = 150
"""The longer side of the small map in the corner."""
OPENING, ENDING, TOLD = 2 * A_SECOND, 3 * A_SECOND, round(1.7 * A_SECOND)
"""How long the first picture, the last one and a caption stand."""
DRIVEN, LONGEST = 60 * A_SECOND, 2 * A_SECOND
"""How long all shots take together, and the longest one, without captions."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Titles:
    """What the first picture says, and the strip below the map: event, stage, and the word for a turn's number."""

    event: str
    stage: str
    about: str
    turn: str


def length_of(script: Script) -> int:
    """Return how long all pictures of a film stand together, in A_SECOND parts of a second."""
    if not script.shots:
        return OPENING
    each, moving = _pace(script)
    stands = [
        moving + (len(shot.captions) * max(TOLD, each - moving) if shot.captions else each - moving)
        for shot in script.shots
    ]
    return OPENING + sum(stands) + ENDING


def _pace(script: Script) -> tuple[int, int]:
    """Return how long a shot without captions takes, and how long its cars move."""
    each = max(3, min(LONGEST, DRIVEN // len(script.shots)))
    return each, max(2, round(each * 0.6))


def pictures(board: Board, titles: Titles) -> Iterator[Picture]:
    """Yield the pictures of a film in order, each with how long it stands."""
    script = board.script
    yield title(titles), OPENING
    if not script.shots:
        return
    each, moving = _pace(script)
    told, centre = "", board.centre_of(script.shots[0])
    for shot in script.shots:
        strip = board.strip(shot, titles, told, new=False)
        ahead, way = board.centre_of(shot), board.ways(shot)
        for step in range(1, moving + 1):
            done = step / moving
            camera = _between(centre, ahead, _eased(min(1.0, done * 2)))
            yield board.picture(camera, way, _eased(max(0.0, done * 1.5 - 0.5)), shot, strip), 1
        centre = ahead
        stands = each - moving
        for caption in shot.captions:
            told = caption
            yield board.picture(centre, way, 1.0, shot, board.strip(shot, titles, told, new=True)), max(TOLD, stands)
        if not shot.captions and stands:
            yield board.picture(centre, way, 1.0, shot, strip), stands
    last = script.shots[-1]
    yield board.picture(centre, board.ways(last), 1.0, last, board.strip(last, titles, told, new=True)), ENDING


def poster(board: Board, titles: Titles) -> Image.Image:
    """Return the picture that stands for a film: the map with the cars, and the titles."""
    script = board.script
    if not script.shots:
        return title(titles)
    shot = script.shots[len(script.shots) // 2]
    strip = board.words([(titles.stage, colours.EARTH_INK), (titles.event, colours.EARTH_SOFT)])
    drawn = board.picture(board.centre_of(shot), board.ways(shot), 1.0, shot, strip)
    picture = Image.new("RGB", (SIDE, SIDE), colours.EARTH)  # the words above: players put their buttons below
    picture.paste(strip, (0, 0))
    picture.paste(drawn.crop((0, 0, SIDE, MAP)), (0, STRIP))
    return picture


def title(titles: Titles) -> Image.Image:
    """Return the first picture: event and stage on gravel."""
    picture = Image.new("RGB", (SIDE, SIDE), colours.EARTH)
    draw = ImageDraw.Draw(picture)
    gravel(draw, SIDE, SIDE)
    top = 220
    for text, ink, sizes in (
        (titles.event, colours.YELLOW, (44, 36, 30)),
        (titles.stage, colours.EARTH_INK, (64, 52, 40)),
        (titles.about, colours.EARTH_SOFT, (28, 24, 22)),
    ):
        size, lines = fitted(text, sizes, SIDE - 2 * 56, (2, 2, 3))
        for line in lines:
            write(draw, (56, top), line, size, ink)
            top += round(size * 1.2)
        top += 14
    return picture


class Board:
    """The map of a script, drawn once, and what is put on it."""

    def __init__(self, script: Script) -> None:
        self.script, self.road = script, script.road
        left, top, width, height = script.road.bounds
        self.window = self._window(width, height)
        self.scale = SIDE / self.window[0]
        self.whole = self._whole(left, top, width, height)
        self._cars: dict[tuple[CarName, int | None, bool], Image.Image] = {}

    def _window(self, width: float, height: float) -> Point:
        """Return the width and height of what a picture shows, in units of the map."""
        reach = 2 * REACHES * self.road.reach
        fit = max(width, height * SIDE / MAP)
        shown = fit if fit <= reach * ALL_AT_ONCE else reach
        most = (MOST_PIXELS / max(1.0, width * height)) ** 0.5
        shown = max(shown, SIDE / most)
        return shown, shown * MAP / SIDE

    def _whole(self, left: float, top: float, width: float, height: float) -> Box:
        """Return the part of the plane that is drawn: the map, at least as large as the window."""
        wide, high = max(width, self.window[0]), max(height, self.window[1])
        return left - (wide - width) / 2, top - (high - height) / 2, wide, high

    @cached_property
    def ground(self) -> Image.Image:
        """The whole map without cars. It is drawn twice as large, so that edges are smooth."""
        left, top, width, height = self.whole
        fine = self.scale * 2
        size = (round(width * self.scale), round(height * self.scale))
        picture = Image.new("RGB", (size[0] * 2, size[1] * 2), self.road.ground)
        draw = ImageDraw.Draw(picture)
        font = ImageFont.truetype(str(BOLD), max(14, round(fine * 11)))
        for shape in self.road.shapes(self.whole):
            points = [((x - left) * fine, (y - top) * fine) for x, y in shape.outline]
            draw.polygon(points, fill=shape.fill, outline=shape.border or None, width=3)
            if shape.label:
                x, y = shape.label_at
                place = ((x - left) * fine, (y - top) * fine)
                draw.text(place, legible(shape.label), font=font, fill=colours.PLATE_INK, anchor="mm")
        return picture.resize(size, Image.Resampling.LANCZOS)

    @cached_property
    def inset(self) -> Image.Image | None:
        """The small map, None where pictures show the whole one."""
        if self.ground.width <= SIDE + 2 and self.ground.height <= MAP + 2:
            return None
        small = self.ground.copy()
        small.thumbnail((INSET, INSET), Image.Resampling.LANCZOS)
        return small

    def centre_of(self, shot: Shot) -> Point:
        """Return where the camera looks: the middle of the way of the car that drives, else of all cars."""
        spots = [stand[shot.car] for stand in shot.stands if shot.car in stand] if shot.car else []
        spots = spots or list(shot.stands[-1].values())
        left, top, _width, _height = self.whole
        if not spots:
            return left + self.window[0] / 2, top + self.window[1] / 2
        return self._inside(*_middle(spots))

    def _inside(self, x: float, y: float) -> Point:
        left, top, width, height = self.whole
        across, down = self.window[0] / 2, self.window[1] / 2
        return min(max(x, left + across), left + width - across), min(max(y, top + down), top + height - down)

    def ways(self, shot: Shot) -> dict[CarName, list[CarSpot]]:
        """Return where each car is that the shot shows, in order and without repetition."""
        found: dict[CarName, list[CarSpot]] = {}
        for stand in shot.stands:
            for car, spot in stand.items():
                way = found.setdefault(car, [])
                if not way or (way[-1].x, way[-1].y) != (spot.x, spot.y):
                    way.append(spot)
        last = shot.stands[-1]
        return {car: way for car, way in found.items() if car in last or car == shot.car}

    def picture(
        self, centre: Point, ways: Mapping[CarName, Sequence[CarSpot]], done: float, shot: Shot, strip: Image.Image
    ) -> Image.Image:
        """Return one picture: the camera at `centre`, the cars at that part of their ways."""
        left, top = round((centre[0] - self.whole[0]) * self.scale - SIDE / 2), 0
        top = round((centre[1] - self.whole[1]) * self.scale - MAP / 2)
        left = min(max(left, 0), max(0, self.ground.width - SIDE))
        top = min(max(top, 0), max(0, self.ground.height - MAP))
        picture = Image.new("RGB", (SIDE, SIDE), self.road.ground)
        picture.paste(self.ground.crop((left, top, left + SIDE, top + MAP)), (0, 0))
        draw = ImageDraw.Draw(picture)

        def at(spot: CarSpot | Point) -> Point:
            x, y = (spot.x, spot.y) if isinstance(spot, CarSpot) else spot
            return (x - self.whole[0]) * self.scale - left, (y - self.whole[1]) * self.scale - top

        spots = {car: _along(way, done) for car, way in ways.items()}
        way = ways.get(shot.car, ()) if shot.car else ()
        if shot.car and len(way) > 1:
            trail = [at(spot) for spot in (*_passed(way, done), spots[shot.car])]
            draw.line(trail, fill=colours.EARTH, width=9, joint="curve")
            draw.line(trail, fill=colours.YELLOW, width=5, joint="curve")
        for car in sorted(spots, key=lambda each: each == shot.car):
            image = self._car(car, spots[car], acts=car == shot.car)
            x, y = at(spots[car])
            picture.paste(image, (round(x - image.width / 2), round(y - image.height / 2)), image)
        self._put_inset(picture, spots, shot)
        picture.paste(strip, (0, MAP))
        return picture

    def _put_inset(self, picture: Image.Image, spots: Mapping[CarName, CarSpot], shot: Shot) -> None:
        if self.inset is None:
            return
        small = self.inset.copy()
        draw = ImageDraw.Draw(small)
        share = small.width / self.whole[2]
        for car in sorted(spots, key=lambda each: each == shot.car):
            x, y = (spots[car].x - self.whole[0]) * share, (spots[car].y - self.whole[1]) * share
            size = 5 if car == shot.car else 3.5
            fill = colours.DRIVERS[self.script.seats[car].entry.colour]
            edge = colours.YELLOW if car == shot.car else colours.EARTH
            draw.ellipse((x - size, y - size, x + size, y + size), fill=fill, outline=edge)
        draw = ImageDraw.Draw(picture)
        place = (SIDE - small.width - 12, 12)
        frame = (place[0] - 3, place[1] - 3, place[0] + small.width + 2, place[1] + small.height + 2)
        draw.rectangle(frame, fill=colours.EARTH)
        picture.paste(small, place)

    def _car(self, car: CarName, spot: CarSpot, *, acts: bool) -> Image.Image:
        """Return a car as on the small road views: its plate in a ring of its colour, with a nose ahead."""
        turned = None if spot.heading is None else round(degrees(spot.heading) / 6) % 60
        key = car, turned, acts
        if key not in self._cars:
            entry = self.script.seats[car].entry
            heading = None if turned is None else turned * 6
            self._cars[key] = car_picture(entry.colour, str(entry.start_number or car[1]), heading, acts=acts)
        return self._cars[key]

    def strip(self, shot: Shot, titles: Titles, told: str, *, new: bool) -> Image.Image:
        """Return the strip below the map: who drives, and the newest caption, which is bright while it is `new`."""
        strip = Image.new("RGB", (SIDE, STRIP), colours.EARTH)
        draw = ImageDraw.Draw(strip)
        seat = self.script.seats.get(shot.car) if shot.car else None
        draw.rectangle((0, 0, SIDE, 3), fill=colours.YELLOW)
        at = EDGE
        if seat is not None:
            plate = car_picture(seat.entry.colour, str(seat.entry.start_number or seat.name), None, acts=False)
            strip.paste(plate, (at - 6, 8), plate)
            at += plate.width
        right = titles.turn % {"number": shot.number} if shot.number else ""
        [name] = lines_of(seat.entry.crew if seat else titles.stage, 26, SIDE - at - 150, 1, BOLD) or [""]
        write(draw, (at, 14), name, 26, colours.EARTH_INK)
        write(draw, (SIDE - EDGE, 18), legible(right), 20, colours.EARTH_SOFT, align="R", face=REGULAR)
        for row, line in enumerate(lines_of(told, 26, SIDE - 2 * EDGE, 3, BOLD)):
            write(draw, (EDGE, 54 + row * 31), line, 26, colours.YELLOW if new else colours.EARTH_SOFT)
        return strip

    def words(self, lines: Sequence[tuple[str, str]]) -> Image.Image:
        """Return a strip with these lines."""
        strip = Image.new("RGB", (SIDE, STRIP), colours.EARTH)
        draw = ImageDraw.Draw(strip)
        draw.rectangle((0, 0, SIDE, 3), fill=colours.YELLOW)
        top = 26
        for text, ink in lines:
            size, rows = fitted(text, (40, 32, 26), SIDE - 2 * EDGE, (1, 1, 1))
            write(draw, (EDGE, top), rows[0] if rows else "", size, ink)
            top += 56
        return strip


def car_picture(colour: int, number: str, heading: int | None, *, acts: bool) -> Image.Image:
    """Return a car, with smooth edges. `heading` in degrees, clockwise from the right."""
    half = FINE * 2
    picture = Image.new("RGBA", (half * 2, half * 2), (0, 0, 0, 0))
    if heading is not None:
        angle = radians(heading)
        ahead, beside = (cos(angle), sin(angle)), (-sin(angle), cos(angle))
        tip = (half + ahead[0] * FINE * 1.75, half + ahead[1] * FINE * 1.75)
        feet = [
            (half + ahead[0] * FINE * 0.7 + side * beside[0] * FINE * 0.7,
             half + ahead[1] * FINE * 0.7 + side * beside[1] * FINE * 0.7)
            for side in (-1, 1)
        ]  # fmt: skip
        nose = colours.YELLOW if acts else colours.EARTH
        ImageDraw.Draw(picture).polygon([tip, *feet], fill=nose, outline=colours.EARTH, width=4)
    picture.alpha_composite(_disc(colour, number, acts))
    return picture.resize((half * 2 // FINER, half * 2 // FINER), Image.Resampling.LANCZOS)


@lru_cache(maxsize=MOST_DISCS)
def _disc(colour: int, number: str, acts: bool) -> Image.Image:
    """Return the plate of a car in its ring, FINER times as large. It is the same for every heading."""
    half = FINE * 2
    picture = Image.new("RGBA", (half * 2, half * 2), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    rings = [(1.3, colours.EARTH), (1.22, colours.YELLOW)] if acts else []
    for share, fill in [*rings, (1.0, colours.EARTH), (0.9, colours.DRIVERS[colour]), (0.64, colours.PLATE)]:
        reach = FINE * share
        draw.ellipse((half - reach, half - reach, half + reach, half + reach), fill=fill)
    font = ImageFont.truetype(str(BOLD), round(FINE * (0.95 if len(number) < 3 else 0.66)))
    draw.text((half, half), legible(number), font=font, fill=colours.PLATE_INK, anchor="mm")
    return picture


def _middle(spots: Sequence[CarSpot]) -> Point:
    across, down = [spot.x for spot in spots], [spot.y for spot in spots]
    return (min(across) + max(across)) / 2, (min(down) + max(down)) / 2


def _between(one: Point, other: Point, share: float) -> Point:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def _eased(share: float) -> float:
    """Return a part of a way that begins and ends slowly."""
    return share * share * (3 - 2 * share)


def _passed(way: Sequence[CarSpot], done: float) -> list[CarSpot]:
    """Return the places of a way that have been passed."""
    return list(way[: int(done * (len(way) - 1)) + 1])


def _along(way: Sequence[CarSpot], done: float) -> CarSpot:
    """Return the place at that part of a way."""
    at = done * (len(way) - 1)
    place = min(int(at), len(way) - 2)
    if place < 0:
        return way[0]
    one, other = way[place], way[place + 1]
    x, y = _between((one.x, one.y), (other.x, other.y), at - place)
    near = other if at - place > 0.5 or hypot(other.x - one.x, other.y - one.y) == 0 else one
    return CarSpot(one.seat, x, y, near.heading)
