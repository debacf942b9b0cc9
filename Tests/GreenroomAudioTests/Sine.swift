import Glibc

/// The sine of a fraction of a turn.
func sine(_ turns: Double) -> Double { sin(2 * Double.pi * turns) }
