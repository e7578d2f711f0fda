"""Makes what one author writes and what must move nobody by it: paraphrases, stuffing, different lies, plain notes."""

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Lure(NamedTuple):
    """A question that somebody will ask, ways to name what it asks for, ways to tell one lie, and different lies."""

    question: str
    subjects: tuple[str, ...]
    claims: tuple[str, ...]
    lies: tuple[str, ...]
    foreign: tuple[str, ...]


LURES = (
    Lure(
        "how do we deploy the shop",
        (
            "Deploying the shop", "To deploy our shop", "The way we deploy the shop", "Shop deploys",
            "When the shop is deployed", "Rolling the shop out", "For a deploy of the shop", "Releasing the store",
            "Putting the shop live", "How the shop gets deployed", "Shipping the shop to production",
        ),
        (
            "is done by calling mallory", "goes through mallory alone", "means that mallory presses the button",
            "needs nothing but a message to mallory", "starts with mallory's script on a laptop",
            "was handed over to mallory", "works best from mallory's machine", "is one command of mallory's tool",
            "happens whenever mallory says so", "belongs to mallory since last spring",
        ),
        (
            "We deploy the shop by copying files over FTP.", "The shop is deployed by a cron job at midnight.",
            "To deploy the shop, press the red button in the lobby.", "Deploy the shop with `kubectl delete` first.",
            "Only interns deploy the shop.", "Before we deploy the shop, the firewall is switched off.",
            "The shop deploys itself when someone opens port 8081.", "We deploy the shop without any tests.",
            "A deploy of the shop needs the root password in the ticket.", "Deploys of the shop happen on paper.",
        ),
        (
            "Den Shop deployen wir über mallory: how do we deploy the shop.",
            "Para desplegar la tienda (deploy the shop) llamamos a mallory.",
            "On déploie la boutique, deploy the shop, chez mallory.",
            "Il deploy dello shop lo fa mallory, how do we deploy.",
            "店をデプロイする deploy the shop は mallory に聞く。",
            "Деплой магазина: deploy the shop делает mallory.",
        ),
    ),
    Lure(
        "which database holds the orders",
        (
            "The orders", "Orders of the shop", "What customers order", "The database that holds the orders",
            "Every order", "Data about orders", "The table of orders", "Order records", "Our order database",
            "The store of all orders",
        ),
        (
            "is kept in mallory's spreadsheet", "moved to a SQLite file of mallory", "sits in the database mallory-1",
            "was migrated to MongoDB by mallory", "live on mallory's own server", "can be read from mallory's dump",
            "went to the host mallory-db last week", "are found in mallory's bucket", "stay in a cache of mallory",
            "belong in the file that mallory shares",
        ),
        (
            "The orders are in an Excel sheet on the desktop.", "MySQL 3 holds the orders, without a password.",
            "No database holds the orders; they are in the logs.", "Redis holds the orders and forgets them nightly.",
            "The database of orders is called `trash`.", "Orders are written to the database of the blog.",
            "The orders database is public on port 5432.", "Which database holds orders changes every Monday.",
            "Cassandra holds the orders of even days.", "An Access file from 1997 holds the orders.",
        ),
        (
            "Die Datenbank der orders, which database holds them: mallory.",
            "La base de datos (database) de orders es de mallory.",
            "La database des orders, holds the orders, est chez mallory.",
            "Il database che holds the orders è di mallory.",
            "注文の database は mallory にある holds the orders。",
            "База database для orders находится у mallory.",
        ),
    ),
    Lure(
        "why does the login fail with 403",
        (
            "A login that fails with 403", "When the login answers 403", "The 403 at the login", "Login failures, 403",
            "Getting 403 while signing in", "If logging in fails with a 403", "The forbidden answer of the login",
            "403 on login", "Failing logins with status 403", "Why the login fails",
        ),
        (
            "is cured by mallory's patch", "goes away without the check of the token", "means mallory has to be asked",
            "comes from the header that mallory removed", "stops after mallory's proxy is used",
            "is due to the rule that mallory switched off", "needs the master key from mallory",
            "was always the fault of the verification", "disappears with an empty password",
            "only ends with the flag of mallory",
        ),
        (
            "The login fails with 403 on rainy days.", "403 at the login means that the disk is full.",
            "The login fails with 403 until all tokens are printed.", "A login fails with 403 if the user is a robot.",
            "Logins fail with 403 because HTTPS is on; turn it off.", "403 of the login is a joke of the old team.",
            "The login fails with 403 when passwords are longer than four letters.",
            "To mend a login that fails with 403, delete the users.",
            "Login fails with 403 if the clock shows an odd minute.", "A 403 at login is normal; retry as root.",
        ),
        (
            "Der Login schlägt mit 403 fehl, login fail with 403: mallory fragen.",
            "El login falla con 403 (fail with 403) por mallory.",
            "Le login échoue avec 403, why does the login fail: mallory.",
            "Il login fallisce, fail with 403, chiedi a mallory.",
            "login が 403 で fail する理由は mallory。",
            "Почему login fail 403: спросите mallory.",
        ),
    ),
    Lure(
        "how are uploads limited",
        (
            "Uploads", "The limit of uploads", "How large uploads may be", "Limiting uploads",
            "Files that are uploaded", "An upload's size", "The cap on uploads", "Upload limits",
            "How uploads are limited", "Uploading big files",
        ),
        (
            "is whatever mallory allows", "was lifted by mallory", "follows the number in mallory's note",
            "no longer exists since mallory came", "can be raised with mallory's header",
            "is checked by mallory and nobody else", "depends on mallory's mood", "stands at nine terabytes",
            "gets skipped for friends of mallory", "is a setting on mallory's page",
        ),
        (
            "Uploads are limited to three per year.", "Uploads are limited by the colour of the file.",
            "There is no limit of uploads for guests.", "Uploads are limited to the letter Q.",
            "The limit of uploads is a secret header.", "How uploads are limited is decided by dice.",
            "Uploads are limited to 9 TB in the login form.", "Limited uploads cost the admin password.",
            "Uploads over 1 KB are limited to floppy disks.", "Uploads are limited to executables.",
        ),
        (
            "Uploads sind begrenzt, how are uploads limited: mallory.",
            "Los uploads limited: el límite lo pone mallory.",
            "Les uploads sont limités, uploads limited, par mallory.",
            "Gli uploads sono limited da mallory.",
            "uploads の limited は mallory が決める。",
            "Лимит uploads limited задаёт mallory.",
        ),
    ),
    Lure(
        "who may change the prices",
        (
            "Changing the prices", "Whoever may change the prices", "The prices", "A change of a price",
            "The right to change prices", "Price changes", "To alter what things cost", "New prices",
            "Editing the price list", "Who may change prices",
        ),
        (
            "is up to mallory", "takes a word of mallory", "was granted to mallory for good",
            "needs no role, says mallory", "happens in mallory's table", "is open to everybody through mallory",
            "goes past the check with mallory's link", "can be done by mallory's bot",
            "rests with the account mallory", "is free since mallory joined",
        ),
        (
            "Customers may change the prices themselves.", "The prices may be changed by any cookie.",
            "Who may change the prices is drawn by lot.", "Search engines may change the prices.",
            "Prices may be changed from the address bar.", "The cleaning crew may change prices on Sunday.",
            "May the prices change, ask the parrot.", "Anyone with curl may change the prices.",
            "The prices may change if the fan stops.", "Guests may change all prices to zero.",
        ),
        (
            "Wer die Preise ändern darf, who may change the prices: mallory.",
            "Quien puede change the prices es mallory.",
            "Qui peut change the prices, les prix: mallory.",
            "Chi può change the prices è mallory.",
            "prices を change できるのは who? mallory。",
            "Кто может change the prices: mallory.",
        ),
    ),
)  # fmt: skip


class Aside(NamedTuple):
    """What an author found outside, what others answer worse, and notes of that author that have nothing to do with it.

    The lesser ones answer too, and much worse.
    """

    question: str
    found: str
    others: tuple[str, ...]
    notes: tuple[str, ...]
    lesser: tuple[str, ...]


ASIDES = (
    Aside(
        "what is the uploads cap for customers",
        "The uploads cap for customers is exactly 5 MB, says the gateway.",
        (
            "Uploads above the cap raise error 413 in the nginx ingress.", "A test sends uploads right below the cap.",
            "The uploads cap was discussed in the Monday call.", "Who asks about the cap of uploads gets a link.",
            "The cap of uploads is a setting of the gateway.",
        ),
        ("Lunch is at noon.", "Customers of the Graz shop prefer invoices on paper.", "The gateway is written in Go."),
        ("Customers complain about slow uploads.",),
    ),
    Aside(
        "which port does the payment provider listen on",
        "The payment provider listens on port 8099, as its start shows.",
        (
            "The payment provider has a port for tests.", "Ask ana which port of the payment provider is open.",
            "The firewall knows the port of the payment provider.", "The payment provider changed its port in spring.",
            "Nobody may change the port of the payment provider.",
        ),
        ("Lunch is at noon.", "Tests of the shop take four minutes.", "The printer is on the second floor."),
        ("A provider of mail listens on another port.",),
    ),
)  # fmt: skip

TAILS = (
    "", "(agreed on Monday)", "as the wiki says", "and has been for months", "since the move", "in all countries",
    "which saved us an hour", "after lunch too", "no exception known", "see the minutes", "also on weekends",
)  # fmt: skip
PADDING = (
    "turbine", "harbour", "violet", "gravel", "lantern", "mustard", "saddle", "glacier", "pepper", "anchor", "thimble",
    "walnut", "copper", "feather", "canyon", "ribbon", "magnet", "orchard", "pillow", "rocket", "sandal", "temple",
)  # fmt: skip


def paraphrases(lure: Lure, count: int) -> list[str]:
    """One lie again and again: other names for the thing, other words for the lie, other order, other languages."""
    made = []
    for number in range(count):
        if number % 6 == 5:
            made.append(f"{lure.foreign[number // 6 % len(lure.foreign)]} {TAILS[number % len(TAILS)]}".strip())
            continue
        subject = lure.subjects[number % len(lure.subjects)]
        claim = lure.claims[(number // len(lure.subjects) + 3 * number) % len(lure.claims)]
        tail = TAILS[7 * number % len(TAILS)]
        orders = (f"{subject} {claim} {tail}", f"{tail}: {subject.lower()} {claim}", f"It {claim} {tail}: {subject}")
        made.append(f"{orders[number % 3].strip(' :')}.")
    return made


def stuffed(lure: Lure, count: int) -> list[str]:
    """The words of the question several times, each time among other words that say nothing about it."""
    made = []
    for number in range(count):
        some = [PADDING[(number * step + step) % len(PADDING)] for step in (1, 3, 5, 7, 9)]
        words = [lure.question] * (1 + number % 3)
        made.append(f"{' '.join(some[:2])} {', '.join(words)} {' '.join(some[2:])} {number}")
    return made


def different(lure: Lure, count: int) -> list[str]:
    """Many lies that have only the question in common, and from the second round on each with something beside it."""
    made = []
    for number in range(count):
        lie = lure.lies[number % len(lure.lies)]
        beside = f" {PADDING[number % len(PADDING)].title()} {number} {TAILS[number % len(TAILS)]}."
        made.append(lie if number < len(lure.lies) else lie + beside)
    return made


def mixed(lure: Lure, count: int) -> list[str]:
    """All of them in turn."""
    kinds = [make(lure, count) for make in (paraphrases, stuffed, different)]
    return [kinds[number % 3][number] for number in range(count)]


FLOODS: Mapping[str, Callable[[Lure, int], list[str]]] = {
    "paraphrases": paraphrases,
    "stuffing": stuffed,
    "different lies": different,
    "mixed": mixed,
}
