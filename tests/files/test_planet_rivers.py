"""Rivers of a planet in a file: lines of longitude and latitude that follow the maps down to the sea."""

import json
from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.planet.cube_sphere import nearest_samples
from terrain_addon.files.planet_lines import write_planet_rivers

pytestmark = pytest.mark.once


def test_rivers_run_down_the_maps_to_the_sea(tmp_path: Path) -> None:
    planet = core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=65))
    write_planet_rivers(tmp_path / "rivers.geojson", planet)
    rivers = json.loads((tmp_path / "rivers.geojson").read_text(encoding="utf-8"))["features"]
    assert len(rivers) > 20
    area, ground = planet.maps["drainage_area"].ravel(), planet.surface.ravel()
    mouths = 0
    for river in rivers:
        lines = [np.radians(line) for line in river["geometry"]["coordinates"]]
        longitude, latitude = np.concatenate(lines).T
        assert np.abs(longitude).max() <= np.pi + 1e-9
        # No line runs around the planet.
        assert all(np.abs(np.diff(line[:, 0])).max() < np.pi for line in lines if np.abs(line[:, 1]).max() < 1.4)
        parts = (np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude))
        samples = nearest_samples(np.stack(parts, axis=-1), 65)
        if len(lines) == 1:
            assert (np.diff(area[samples]) > 0.0).all()
        joins = river["properties"]["joins"]
        if joins is None:
            mouths += 1
            assert ground[samples[-1]] <= planet.sea_level
        else:
            assert rivers[joins]["properties"]["discharge_m3_per_s"] >= river["properties"]["discharge_m3_per_s"]
    assert mouths > 5 and any(len(river["geometry"]["coordinates"]) > 1 for river in rivers)


def test_a_planet_without_rivers_has_none_in_its_file(tmp_path: Path) -> None:
    write_planet_rivers(tmp_path / "rivers.geojson", core.build_planet(core.PlanetRecipe.preset("moon", resolution=9)))
    assert json.loads((tmp_path / "rivers.geojson").read_text(encoding="utf-8"))["features"] == []
