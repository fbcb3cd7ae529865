"""The table of buttons that say other words than the names of their operators."""

BUTTONS = (
    ("first rows", "*New*", "generate"),
    ("first rows", "*Apply*", "apply_preset"),
    ("first rows", "the globe beside them", "open_world"),
    ("first rows", "the arrows beside *Live*", "update"),
    ("first rows", "the tick beside the bar", "finish_early"),
    ("first rows", "the cross beside the bar", "cancel"),
    ("first rows", "the symbol beside *Seed*", "randomise_seed"),
    ("Draw", "*River*, *Ridge*, *Road* …", "draw_feature"),
    ("Draw", "*Use Selected Objects as*", "use_as_feature"),
    ("Draw", "the name of what you drew", "select_feature"),
    ("Draw", "the cross beside it", "remove_feature"),
    ("Paint", "*Paint Plants*, *Paint Rain* …", "paint"),
    ("Paint", "the cross beside them", "forget_paint"),
    ("Paint", "*Add*, *Take Away*, while you paint", "set_brush"),
    ("Realism and Maps", "*Check as*", "check_realism"),
    ("Realism and Maps", "*Slope*, *Humidity* …", "show_map"),
    ("Plants", "*Plant*", "scatter_plants"),
    ("Plants", "the bin beside it", "clear_plants"),
    ("Plants", "*Biome*", "apply_biome"),
    ("Plants", "the cloud beside it", "apply_biome_of_climate"),
    ("Plants", "the brush beside *Not Painted*", "paint_species"),
    ("Light and Material", "*Sun*", "add_scenery"),
    ("Light and Material", "the cross beside *Far Land*", "remove_far_land"),
    ("Bake and Export", "*Meshes and Plants*", "export"),
    ("Bake and Export", "*Game Engine*", "export_package"),
    ("Bake and Export", "the cross beside *Add Fine Detail*", "remove_fine_detail"),
    ("Planet", "*Space*, *Orbit*, *Ground*", "view_planet"),
    ("Planet", "the arrows beside *Live*", "update_planet"),
    ("Planet", "the symbol beside *Seed*", "randomise_planet"),
    ("Add > Mesh", "*Landscape*", "generate"),
    ("Add > Mesh", "*Planet*", "new_planet"),
    ("File > Import", "*Elevation Model (GeoTIFF, HGT, ASC, BIL, PNG, EXR, RAW, NPY)*", "import_elevation"),
    ("File > Import", "*Landscape Recipe (.json)*", "generate_from_recipe"),
    ("File > Import", "*Landscape World (folder)*", "open_world"),
    ("File > Export", "*Landscape with Plants (.glb, .gltf, .usda)*", "export"),
    ("File > Export", "*Landscape for a Game Engine (folder)*", "export_package"),
    ("File > Export", "*Planet (.glb and maps)*", "export_planet"),
)
"""Where a button or an entry of a menu is, what stands on it, and its operator."""


def button_table(labels: dict[str, str]) -> list[str]:
    """Return lines of Markdown: what buttons say, and the operators that they call.

    Parameters
    ----------
    labels : dict of str to str
        The names of operators in Blender, by the names in scripts.
    """
    rows = [f"| {where} | {words} | [{labels[name]}](#{name}) |" for where, words, name in BUTTONS]
    return ["| where | button | what it calls |", "|---|---|---|", *rows]
