/** What a kind of resource brings to the command palette. */
import type { PaletteAction } from './palette-action.ts';
import type { Found, PaletteAsk } from './palette-source.ts';

export interface KindPalette {
  /** A hook: the same ones are called each time, in the order of the kinds. */
  useFound: (ask: PaletteAsk) => Found;
  actions: readonly PaletteAction[];
  /** The palette offers to tell who reaches the first one found. */
  tellsWho?: true;
}
