"""Files in and out: measured elevation, heightmaps, images, engine packages; the only place that flips rows."""
