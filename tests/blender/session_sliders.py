"""The sliders and switches that somebody moves who works on lands at random; see sessions.py."""

import random
from collections.abc import Callable
from typing import Any

import bpy

from terrain_addon.blender.land.lookup import lands
from terrain_addon.blender.session.following import follow_all, notice_all
from tests.blender.session_checks import watched

RESOLUTIONS = (65, 49)
# The relief of alpine at 65 samples reaches from 950 to 2900 m: ice on all of it, on its summits, and none.
ICE_LINES = (900.0, 1800.0, 2600.0, 6000.0)
DAYS = (1, 60, 110, 235, 350)  # midwinter, late winter, thaw, summer, early winter


class Sliders:
    """The moves that change settings; each returns the name of its step of undo, or None.

    Parameters
    ----------
    seed : int
        Of everything that is chosen at random.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.switches: list[Callable[[], str | None]] = [
            *(self.move_a_slider, self.move_a_slider, self.change_the_year, self.change_the_year),
            *(self.change_the_season, self.change_colours, self.switch_a_map, self.change_the_sea),
            *(self.change_the_resolution, self.change_the_winter, self.change_the_winter, self.change_the_glaciers),
            *(self.change_the_climate, self.raise_the_sea, self.fix_the_border),
        ]

    def settings(self) -> Any:
        """The recipe of the active land, or of another one, which is active from then on; None without lands."""
        land = bpy.context.view_layer.objects.active
        if land is None or land not in lands():
            there = seen_lands()
            if not there:
                return None
            land = choose(self.random.choice(there))
        return land.landscape.recipe

    def change(self, name: str, alter: Callable[[Any], None]) -> str | None:
        """Change the settings of a land; those of a linked one are grey."""
        settings = self.settings()
        if settings is None or not settings.id_data.is_editable:
            return None
        alter(settings)
        return name

    def move_a_slider(self) -> str | None:
        settings = self.settings()
        if settings is None or not settings.id_data.is_editable:
            return None
        source = settings.relief.layers[0].source
        noise = getattr(source, source.model)
        for _ in range(self.random.randint(1, 3)):
            noise.height *= self.random.uniform(0.8, 1.25)
            # The mouse is still down.
            watched(notice_all)
            watched(follow_all)
        return "Height"

    def change_the_year(self) -> str | None:
        years = self.random.choice((0.0, 20.0, 60.0))
        return self.change("Years", lambda recipe: setattr(recipe.ecosystem.evolution, "years", years))

    def change_the_season(self) -> str | None:
        season = self.random.uniform(0.0, 12.0)
        return self.change("Season", lambda recipe: setattr(recipe.appearance, "season", season))

    def change_colours(self) -> str | None:
        line = self.random.uniform(500.0, 3000.0)
        return self.change("Snow Line", lambda recipe: setattr(recipe.appearance, "snow_line", line))

    def change_the_sea(self) -> str | None:
        def alter(recipe: Any) -> None:
            recipe.water.sea = not recipe.water.sea
            recipe.water.sea_level = self.random.choice((0.0, 600.0))

        return self.change("Sea", alter)

    def raise_the_sea(self) -> str | None:
        def alter(recipe: Any) -> None:
            recipe.water.sea = True
            recipe.water.sea_rise = self.random.choice((0.0, 40.0, 300.0))

        return self.change("Sea Rise", alter)

    def change_the_resolution(self) -> str | None:
        count = self.random.choice(RESOLUTIONS)
        return self.change("Resolution", lambda recipe: setattr(recipe, "resolution", count))

    def switch_a_map(self) -> str | None:
        def alter(recipe: Any) -> None:
            maps = recipe.extra_maps
            name = self.random.choice([p.identifier for p in maps.bl_rna.properties if p.type == "BOOLEAN"])
            setattr(maps, name, not getattr(maps, name))

        return self.change("Map", alter)

    def change_the_winter(self) -> str | None:
        def alter(recipe: Any) -> None:
            winter = recipe.winter
            winter.enabled = self.random.random() < 0.7
            winter.day_of_year = self.random.choice(DAYS)
            winter.avalanches = self.random.random() < 0.5
            winter.wind_drift = self.random.choice((0.0, 0.5, 1.0))

        return self.change("Winter", alter)

    def change_the_glaciers(self) -> str | None:
        def alter(recipe: Any) -> None:
            recipe.glaciers.enabled = self.random.random() < 0.7
            recipe.glaciers.equilibrium_line_altitude = self.random.choice(ICE_LINES)

        return self.change("Glaciers", alter)

    def change_the_climate(self) -> str | None:
        def alter(recipe: Any) -> None:
            recipe.climate.enabled = not recipe.climate.enabled

        return self.change("Climate", alter)

    def fix_the_border(self) -> str | None:
        def alter(recipe: Any) -> None:
            recipe.fixed_border = not recipe.fixed_border

        return self.change("Fixed Border", alter)


def seen_lands() -> list[bpy.types.Object]:
    """The lands of the scene at work; others cannot be selected."""
    return [land for land in lands() if land.name in bpy.context.view_layer.objects]


def choose(land: bpy.types.Object) -> bpy.types.Object:
    """Return a land, now active and alone selected."""
    bpy.ops.object.select_all(action="DESELECT")
    land.select_set(True)
    bpy.context.view_layer.objects.active = land
    return land
