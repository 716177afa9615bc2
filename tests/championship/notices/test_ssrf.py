"""Addresses to which we must not post: private addresses in every disguise, names that change their address,
redirects.
"""

import datetime
import socket
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from championship.notices import outbound_http, ssrf
from championship.notices.models import Webhook
from championship.notices.services import webhooks
from championship.notices.services.webhooks import Owner
from championship.platform.refusals import Refused
from tests.championship.faults import dead_port
from tests.championship.notices.receiver import receiver
from tests.factories import make_user, signed_in

NOT_PUBLIC = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255"),
    *("192.168.1.1", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200", "100.127.255.255"),
    *("192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "168.63.129.16"),
    *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1"),
    *("64:ff9b:1::1", "2002:7f00:1::", "2002:0808:0808::", "2001:0:1234::1", "2001:db8::1", "3fff::1"),
    *("fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1", "5f00::1", "::a00:1"),
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "168.63.129.17",
    "2606:4700::1111",
    "2a00:1450::1",
    "2001:4860::8888",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_refused(address):
    assert not ssrf.is_public(address)
    for name in ("hook.example", "localhost"):
        with pytest.raises(ssrf.Refusal):
            ssrf.destination(f"https://{name}/", resolver=lambda host, port: [address])


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_not(address):
    found = ssrf.destination("https://hook.example/a?b=c", resolver=lambda host, port: [address])
    assert (found.addresses, found.host, found.port, found.target) == ((address,), "hook.example", 443, "/a?b=c")


def test_one_private_address_among_public_ones_is_enough_to_refuse():
    with pytest.raises(ssrf.Refusal):
        ssrf.destination("https://hook.example/", resolver=lambda host, port: ["8.8.8.8", "10.0.0.1"])


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1/", "http://localhost/", "http://localhost:8080/", "http://127.1/", "http://2130706433/"),
        *("http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0/"),
        *("http://[::ffff:7f00:1]/", "http://[fe80::1%25eth0]/", "http://localhost./", "http://①②⑦.⓪.⓪.①/"),
    ],
)
def test_this_machine_is_refused_however_it_is_written_and_really_resolved(url):
    with pytest.raises((ssrf.Refusal, OSError)):
        ssrf.destination(url)


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://hook.example/", "file:///etc/passwd", "gopher://hook.example/", "//hook.example/", "hook.example", ""),
        *("https://user:secret@hook.example/", "https://user@hook.example/", "https:///path", "https://"),
        *(
            "https://hook.example:22/",
            "https://hook.example:25/",
            "http://hook.example:443/",
            "https://hook.example:6379/",
        ),
        *("https://hook.example:99999/", "https://hook.example:x/", "https://hook.example\\@evil.example/"),
        *("https://hook.example/\r\nX-Header: 1", "https://hook.example/ a", "https://hook.example/\x00"),
        *("https://[hook]/", "javascript:alert(1)", "https://hook.example/" + "x" * 600, "https://hook.exämple/ä"),
    ],
)
def test_what_is_no_plain_web_address_is_refused_before_any_name_is_asked_for(url):
    def never(host, port):
        raise AssertionError("asked for a name")

    with pytest.raises(ssrf.Refusal):
        ssrf.destination(url, resolver=never)


def test_a_name_is_resolved_once_and_the_address_that_was_checked_is_the_one_that_is_used(settings):
    """A name that resolves to a public address when it is checked, and to this machine a moment later."""
    with receiver() as good, receiver() as bad:
        settings.WEBHOOK_ALLOWED_ADDRESSES = good.allowed
        asked = []

        def rebinding(host, port):
            asked.append(host)
            return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

        outbound_http.post(f"http://hook.example:{good.port}/a", body=b"{}", headers={}, resolver=rebinding)
        assert asked == ["hook.example"]
        [post] = good.posts
        assert post.headers["Host"] == f"hook.example:{good.port}"
        assert bad.posts == []

        with pytest.raises(ssrf.Refusal):
            outbound_http.post(f"http://hook.example:{good.port}/a", body=b"{}", headers={}, resolver=rebinding)
        assert len(good.posts) == 1


def test_a_redirect_is_an_answer_and_is_not_followed(settings):
    with receiver() as first, receiver() as second:
        settings.WEBHOOK_ALLOWED_ADDRESSES = first.allowed + second.allowed
        for status in (301, 302, 303, 307, 308):
            first.answer = (status, {"Location": second.url})
            assert outbound_http.post(first.url, body=b"{}", headers={}).status == status
        assert len(first.posts) == 5
        assert second.posts == []


def test_an_answer_is_read_only_so_far(settings):
    with receiver() as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        place.answer, place.text = (200, {}), b"x" * 2_000_000
        assert len(outbound_http.post(place.url, body=b"{}", headers={}).text) == outbound_http.MOST_READ


ENOUGH = 400
"""Bytes of a slow response that would take 20 seconds: even a busy machine does not pause that long."""


def test_a_place_that_drips_is_cut_off(settings, monkeypatch):
    """Each byte arrives within its timeout, but all of them together do not."""
    monkeypatch.setattr(outbound_http, "TOTAL_SECONDS", 0.6)
    with receiver() as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed

        def drip(line):
            for _byte in range(ENOUGH):
                try:
                    line.write(b"H")
                    line.flush()
                except OSError:
                    return
                dripped.append(1)
                if over.wait(0.05):
                    return

        dripped, over = [], threading.Event()
        place.drip = drip
        with pytest.raises(outbound_http.NoAnswer, match="no answer within"):
            outbound_http.post(place.url, body=b"{}", headers={})
        assert len(dripped) < ENOUGH, "it was cut off, and did not run dry"
        over.set()


def test_a_place_where_nobody_listens_is_unreachable(settings):
    with dead_port() as port:
        settings.WEBHOOK_ALLOWED_ADDRESSES = [f"127.0.0.1:{port}"]
        with pytest.raises(outbound_http.Unreachable):
            outbound_http.post(f"http://127.0.0.1:{port}/", body=b"{}", headers={})


def test_a_name_nobody_knows_is_unreachable():
    def unknown(host, port):
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(outbound_http.Unreachable):
        outbound_http.post("https://hook.example/", body=b"{}", headers={}, resolver=unknown)


# Certificates -----------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path):
    """Return a function that creates a self-signed certificate for a name. It returns the files of certificate
    and key.
    """

    def make(name):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        public, private = tmp_path / f"{name}.pem", tmp_path / f"{name}.key"
        public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        private.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return str(public), str(private)

    return make


def this_machine(host, port):
    return ["127.0.0.1"]


def test_by_tls_the_certificate_must_be_the_names(settings, certificate):
    ours, others = certificate("hook.example"), certificate("other.example")
    for shown, arrives in ((ours, True), (others, False)):
        settings.WEBHOOK_CA_FILE = shown[0]
        with receiver(shown) as place:
            settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
            url = f"https://hook.example:{place.port}/a"
            if arrives:
                assert (
                    outbound_http.post(url, body=b"{}", headers={}, resolver=lambda host, port: ["127.0.0.1"]).status
                    == 204
                )
            else:
                with pytest.raises(outbound_http.NoAnswer, match=r"hook\.example"):
                    outbound_http.post(url, body=b"{}", headers={}, resolver=lambda host, port: ["127.0.0.1"])
                assert place.posts == []


def test_a_certificate_nobody_vouches_for_is_refused(settings, certificate):
    with receiver(certificate("hook.example")) as place:
        settings.WEBHOOK_ALLOWED_ADDRESSES = place.allowed
        with pytest.raises(outbound_http.NoAnswer, match="CERTIFICATE_VERIFY_FAILED"):
            outbound_http.post(
                f"https://hook.example:{place.port}/", body=b"{}", headers={}, resolver=lambda host, port: ["127.0.0.1"]
            )
        assert place.posts == []


# On the page ------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/hook", "http://[::1]/", "ftp://hook.example/", "http://169.254.169.254/"]
)
def test_a_private_address_is_refused_when_it_is_saved_with_what_was_typed_kept(url):
    ana = make_user("Ana")
    answer = signed_in(ana).post("/me/notices/webhook/", {"url": url, "shape": "json"})
    assert answer.status_code == 422
    assert 'id="id_url_error"' in answer.text
    assert f'value="{url}"' in answer.text
    assert not Webhook.objects.exists()


@pytest.mark.django_db
def test_a_shape_that_does_not_exist_is_refused():
    with pytest.raises(Refused) as refusal:
        webhooks.add(Owner(make_user()), url="https://hook.example/", shape="pigeon")
    assert refusal.value.field == "shape"
