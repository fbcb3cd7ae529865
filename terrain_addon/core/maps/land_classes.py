"""Classes of land, and for each the eight numbers by which measured land of that class is known.

Rows that say "windows" were measured by us on elevation data.  Rows that name a paper are that paper's numbers.

References
----------
E. H. Hammond (1964), "Analysis of properties in land form geography", Annals of the Association of American Geographers
54, 11-19, doi:10.1111/j.1467-8306.1964.tb00470.x: plains, tablelands, mountains by gentle ground and relief.

R. J. Chorley, S. A. Schumm and D. E. Sugden (1985), "Geomorphology", Methuen, p. 273: walls are 10 % to 75 % of scarps.

M. A. Carson (1977), "Angles of repose, angles of shearing resistance and angles of talus slopes", Earth Surface
Processes 2, 363-380, doi:10.1002/esp.3290020408: talus.

F. Duszyński, P. Migoń and M. C. Strzelecki (2019), "Escarpment retreat in sedimentary tablelands and cuesta landscapes
- landforms, mechanisms and patterns", Earth-Science Reviews 196, 102890, doi:10.1016/j.earscirev.2019.102890: walls.

S. A. Schumm (1956), "Evolution of drainage systems and slopes in badlands at Perth Amboy, New Jersey", Geological
Society of America Bulletin 67, 597-646, doi:10.1130/0016-7606(1956)67[597:EODSAS]2.0.CO;2: density, sides of gullies.

I. G. Wilson (1972), "Aeolian bedforms - their development and origins", Sedimentology 19, 173-210,
doi:10.1111/j.1365-3091.1972.tb00020.x: spacing and height of dunes.

N. Lancaster (1988), "Controls of eolian dune size and spacing", Geology 16, 972-975,
doi:10.1130/0091-7613(1988)016<0972:COEDSA>2.3.CO;2: spacing against height.

F. Pattyn and W. Van Huele (1998), "Power law or power flaw?", Earth Surface Processes and Landforms 23, 761-767,
doi:10.1002/(SICI)1096-9837(199808)23:8<761::AID-ESP892>3.0.CO;2-K: cross-sections of glacial troughs.

S. J. Cook and D. A. Swift (2012), "Subglacial basins: their origin and importance in glacial systems and landscapes",
Earth-Science Reviews 115, 332-372, doi:10.1016/j.earscirev.2012.09.009: overdeepenings.

B. B. Mandelbrot (1967), "How long is the coast of Britain?", Science 156, 636-638, doi:10.1126/science.156.3775.636:
dimension of coasts.
"""

import math
from typing import Literal, NamedTuple

LandClass = Literal["mountains", "mesa", "badlands", "dunes", "fjords", "plains", "volcano", "islands"]
"""Kind of land that a surface is judged as."""


class RealRange(NamedTuple):
    """Lowest, median and highest value of real land; NaN if not known."""

    lowest: float
    median: float
    highest: float


class Criterion(NamedTuple):
    """What one number must be: above `low` and below `high`.

    Parameters
    ----------
    name : str
        Field of `Shapes` or of the drainage numbers, with spaces.
    real : RealRange
        Values of real land.
    low, high : float
        Limits.
    unit : str
        Empty for a pure number.
    source : str
        Where the range is from: windows of elevation data, or a paper.
    """

    name: str
    real: RealRange
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    source: str = "11 windows"


class ClassOfLand(NamedTuple):
    """A class of land.

    Parameters
    ----------
    description : str
        One line.
    criteria : tuple of Criterion
        Eight.
    cell_size : float
        Metres: shapes are measured on cells at least this large, as those of the data that they are compared with.
    is_alone : bool
        Whether the land is one mountain, which is a single large hollow upside down.
    several : str
        What several lands of the class are called; empty where its name says that.
    """

    description: str
    criteria: tuple[Criterion, ...]
    cell_size: float = 0.0
    is_alone: bool = False
    several: str = ""


MEANINGS: dict[str, str] = {
    "depression volume": "water that would fill all hollows, per area × relief",
    "rising reaches": "share of pieces of rivers, 15 cells long, that end higher than they begin",
    "drained share": "share of the land whose water reaches the border without meeting a deep hollow",
    "fill asymmetry": "how many times more water the land would hold upside down than upright, as a power of ten",
    "channel position": "height of rivers above what surrounds them, over its standard deviation on all of the land",
    "slope-area fit": "how well the slope of rivers follows from their drainage area: 1 is a perfect fit",
    "drainage density": "length of rivers per area, times the side of the square that drains to where one begins",
    "concavity": "how fast rivers become gentler as their drainage area grows: 0 is not at all",
    "gentle ground": "share of the land with a slope below 8 %",
    "wall share": "share of the height of scarps that is steeper than 45°",
    "side slope": "most frequent slope between 15° and 60°, which is that of the sides of valleys",
    "steepest slope": "slope that only one place in 200 exceeds",
    "valley density": "length of valleys per area",
    "repose ground": "share of the land with a slope of 28° to 36°, as slip faces have",
    "oversteep ground": "share of the land that is steeper than 36°, where no sand can lie",
    "median slope": "slope that half of the land exceeds",
    "crest spacing": "distance between crests",
    "crest height": "height of crests above the hollows between them",
    "spacing ratio": "distance between crests over their height",
    "slope ratio": "mean gradient of the steeper sides of crests over that of the gentler sides",
    "trough exponent": "form of the sides of the largest valleys: 1 for a V, 2 for a U",
    "hollow volume": "water that would fill all hollows, those of the sea floor included, per area × relief",
    "relief": "height of the highest place above the lowest",
    "steep ground": "share of the land that is steeper than 45°",
    "flank slope": "median slope of the upper half of a cone",
    "profile ratio": "slope of the upper half of a cone over that of the lower half",
    "cone ratio": "half of the height of a cone over its width there",
    "coast dimension": "fractal dimension of the coast: 1 is smooth",
}
"""What each number says."""

DIFFERENCES: dict[str, tuple[str, str]] = {
    "depression volume": ("", "too many hollows"),
    "rising reaches": ("", "rivers that run uphill"),
    "drained share": ("too much land that does not drain to the border", ""),
    "fill asymmetry": ("hollows as large as hills", ""),
    "channel position": ("", "rivers that do not lie in valleys"),
    "slope-area fit": ("slopes of rivers that do not follow their size", ""),
    "drainage density": ("", "rivers too close together"),
    "concavity": ("rivers that stay too steep downstream", "rivers that become gentle too fast downstream"),
    "gentle ground": ("too little gentle ground", "too much gentle ground"),
    "wall share": ("too few steep walls", "too many steep walls"),
    "side slope": ("sides of valleys too gentle", "sides of valleys too steep"),
    "steepest slope": ("steepest places too gentle", "steepest places too steep"),
    "valley density": ("valleys too far apart", "valleys too close together"),
    "repose ground": ("slip faces too small", "slip faces too large"),
    "oversteep ground": ("", "sand steeper than sand can lie"),
    "median slope": ("slopes too gentle", "slopes too steep"),
    "crest spacing": ("crests too close together", "crests too far apart"),
    "crest height": ("crests too low", "crests too high"),
    "spacing ratio": ("crests too close together for their height", "crests too far apart for their height"),
    "slope ratio": ("crests too equally steep on both sides", "crests too unequally steep on both sides"),
    "trough exponent": ("large valleys like a V instead of a U", "large valleys like a box instead of a U"),
    "hollow volume": ("too few hollows for lakes", ""),
    "relief": ("too little difference in height", "too much difference in height"),
    "steep ground": ("", "too much steep ground"),
    "flank slope": ("flanks too gentle", "flanks too steep"),
    "profile ratio": ("the upper half not steep enough", "the upper half too steep"),
    "cone ratio": ("a cone too wide for its height", "a cone too narrow for its height"),
    "coast dimension": ("a coast too smooth", "a coast too jagged"),
}
"""How land differs from real land where a number is too low, and where it is too high; empty where it cannot be."""

_NAN = math.nan
_VOLUME = Criterion("depression volume", RealRange(0.0, 0.036, 0.31), high=0.55, unit="‰")
_RISING = Criterion("rising reaches", RealRange(0.0, 0.004, 0.11), high=0.12)
_DRAINED = Criterion("drained share", RealRange(_NAN, 0.83, _NAN), low=0.17)
_ASYMMETRY = Criterion("fill asymmetry", RealRange(0.21, 1.34, 2.1), low=0.2)
_POSITION = Criterion("channel position", RealRange(_NAN, -1.28, _NAN), high=-0.75)
_FIT = Criterion("slope-area fit", RealRange(_NAN, 0.93, _NAN), low=0.65)
_DENSITY = Criterion("drainage density", RealRange(_NAN, 0.62, _NAN), high=0.70)
_CONCAVITY = Criterion("concavity", RealRange(_NAN, 0.41, _NAN), low=0.25, high=1.0)
_RIVERS = (_VOLUME, _RISING, _DRAINED, _ASYMMETRY)


def _of(name: str, low: float, high: float, unit: str, source: str) -> Criterion:
    """Return a criterion whose limits are the range of real land itself."""
    ends = (_NAN if math.isinf(end) else end for end in (low, high))
    lowest, highest = ends
    return Criterion(name, RealRange(lowest, _NAN, highest), low, high, unit, source)


_INFINITE = math.inf
CLASSES: dict[LandClass, ClassOfLand] = {
    "mountains": ClassOfLand(
        "Mountains and hills: rivers have cut all valleys",
        (*_RIVERS, _POSITION, _FIT, _DENSITY, _CONCAVITY),
    ),
    "mesa": ClassOfLand(
        "Mesas and canyons: hard beds over weak ones",
        (
            *_RIVERS,
            _of("gentle ground", 0.5, 0.95, "", "Hammond (1964), tablelands; 1 window, 0.76"),
            _of("wall share", 0.10, 0.75, "", "Chorley, Schumm & Sugden (1985)"),
            _of("side slope", 30.0, 40.0, "°", "Carson (1977), talus"),
            _of("steepest slope", 60.0, _INFINITE, "°", "Duszyński, Migoń & Strzelecki (2019), walls"),
        ),
        several="mesas",
    ),
    "badlands": ClassOfLand(
        "Badlands: bare, weak ground full of gullies",
        (
            *_RIVERS,
            _POSITION,
            _FIT,
            _of("valley density", 48.0, 464.0, "km/km²", "Schumm (1956), and 77 to 747 mi/mi² in textbooks"),
            _of("side slope", 30.0, 50.0, "°", "Schumm (1956)"),
        ),
    ),
    "dunes": ClassOfLand(
        "Dunes: shaped by the wind",
        (
            _of("steepest slope", 30.0, 36.0, "°", "Lancaster (1988), slip faces 30° to 34°; 1 window, 30.3"),
            # From papers, and as far as the one window and a quarter of its value, or of its excess over 1, reach.
            _of("repose ground", 0.008, 0.30, "", "dunes 8 to 60 times as far apart as high; 1 window, 0.011"),
            _of("oversteep ground", -_INFINITE, 0.005, "", "no sand is steeper than its repose; 1 window, 0.000"),
            _of("median slope", 0.9, 15.0, "°", "Lancaster (1988), windward slopes; 1 window, 1.2"),
            _of("crest spacing", 10.0, 1110.0, "m", "Wilson (1972); 1 window, 885"),
            _of("crest height", 0.1, 100.0, "m", "Wilson (1972); 1 window, 25"),
            _of("spacing ratio", 8.0, 60.0, "", "Lancaster (1988); 1 window, 35"),
            _of("slope ratio", 1.2, 6.0, "", "slip faces against windward slopes, Lancaster (1988); 1 window, 1.26"),
        ),
    ),
    "fjords": ClassOfLand(
        "Fjords and glacial land: shaped by ice",
        (
            _RISING,
            _DRAINED,
            _FIT,
            _of("trough exponent", 1.5, 2.2, "", "Pattyn & Van Huele (1998); 2 windows, 1.67 and 1.75"),
            _of("hollow volume", 0.5, _INFINITE, "‰", "Cook & Swift (2012): overdeepened troughs; 1 window, 0.61"),
            _of("relief", 305.0, _INFINITE, "m", "Hammond (1964), mountains"),
            _of("gentle ground", -_INFINITE, 0.5, "", "Hammond (1964), mountains; 2 windows, 0.23 and 0.34"),
            _of("steepest slope", 35.0, _INFINITE, "°", "2 windows, 39 and 51"),
        ),
    ),
    "plains": ClassOfLand(
        "Plains: too level for rivers to cut valleys",
        (
            _VOLUME,
            _RISING,
            _DRAINED,
            # The lowest value of the windows less a quarter: rivers of plains keep to the law less than those of hills.
            _of("slope-area fit", 0.34, _INFINITE, "", "6 windows, 0.46 to 0.87"),
            _of("gentle ground", 0.8, _INFINITE, "", "Hammond (1964), plains; 6 windows, 0.96 to 1.00"),
            _of("relief", -_INFINITE, 91.0, "m", "Hammond (1964), plains; 6 windows, 60 to 91"),
            _of("median slope", -_INFINITE, 4.6, "°", "Hammond (1964), gentle ground; 6 windows, 0.7 to 1.4"),
            _of("steep ground", -_INFINITE, 0.001, "", "Hammond (1964), plains; 6 windows, 0.000"),
        ),
    ),
    "volcano": ClassOfLand(
        "A volcano: one cone, steeper towards its top",
        (
            _VOLUME,
            _RISING,
            _DRAINED,
            _FIT,
            # From the lowest value of Fuji, Arenal and St. Helens less a quarter to the highest one and a quarter.
            _of("flank slope", 18.9, 40.3, "°", "3 windows, 25 to 32"),
            _of("profile ratio", 1.5, 3.75, "", "3 windows, 2.0 to 3.0"),
            _of("cone ratio", 0.17, 0.37, "", "3 windows, 0.22 to 0.30"),
            _of("steep ground", -_INFINITE, 0.008, "", "3 windows, 0.000 to 0.006"),
        ),
        cell_size=30.0,
        is_alone=True,
        several="volcanoes",
    ),
    "islands": ClassOfLand(
        "Islands: mountains that rise from the sea",
        (
            *_RIVERS,
            _POSITION,
            _FIT,
            _CONCAVITY,
            _of("coast dimension", 1.02, 1.25, "", "Mandelbrot (1967)"),
        ),
        is_alone=True,
    ),
}
"""All classes, mountains first."""
