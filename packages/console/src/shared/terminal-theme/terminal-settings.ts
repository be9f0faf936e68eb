/** How somebody wants their terminals in this browser. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { useCallback, useMemo } from 'react';
import { z } from 'zod';
import { usePreference } from '../../platform/browser/preferences.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';

export const FONT_SIZES = { min: 8, max: 32 } as const;
const SCROLLBACKS = [1_000, 10_000, 50_000];
const USUAL_SCROLLBACK = 1_000;

/** ubuntu comes with the console; system is what the browser has for such text. */
export const TERMINAL_FONTS = ['ubuntu', 'system'] as const;

const settings = z.object({
  font: z.enum(TERMINAL_FONTS).default('ubuntu').catch('ubuntu'),
  fontSize: z.int().min(FONT_SIZES.min).max(FONT_SIZES.max).default(13).catch(13),
  /** Undefined: as many as the gateway says. */
  scrollback: z.int().min(0).max(100_000).optional().catch(undefined),
  /** 'console' follows the theme of everything else. */
  theme: z.enum(['console', 'dark', 'light']).default('console').catch('console'),
  screenReader: z.boolean().default(false).catch(false),
  /** Programs may write to the clipboard without asking. */
  clipboard: z.boolean().default(false).catch(false),
  pasteWarning: z.boolean().default(true).catch(true),
});
export type TerminalSettings = z.output<typeof settings> & { scrollback: number };

/** `usual`: lines to scroll back to for whoever has not chosen. */
export function readSettings(text: string | undefined, usual = USUAL_SCROLLBACK): TerminalSettings {
  const chosen = settings.catch(() => settings.parse({})).parse(parseJson(text ?? '{}'));
  return { ...chosen, scrollback: chosen.scrollback ?? usual };
}

/** What there is to choose from: what the gateway says, and what is chosen, are always among it. */
export function scrollbackChoices(...also: readonly number[]): number[] {
  return [...new Set([...SCROLLBACKS, ...also])].sort((one, other) => one - other);
}

export function useTerminalSettings(): [TerminalSettings, (change: Partial<TerminalSettings>) => void] {
  const [text, setText] = usePreference('terminal');
  const { scrollbackLines } = usePageConfig().ui;
  const current = useMemo(() => readSettings(text, scrollbackLines), [text, scrollbackLines]);
  const change = useCallback(
    (wanted: Partial<TerminalSettings>) => {
      // Only what was chosen is kept: the gateway's own number counts until somebody chooses.
      const kept = settings.catch(() => settings.parse({})).parse(parseJson(text ?? '{}'));
      setText(JSON.stringify({ ...kept, ...wanted }));
    },
    [text, setText],
  );
  return [current, change];
}

/** One step larger or smaller, within what can be read. */
export function steppedSize(fontSize: number, step: 1 | -1): number {
  return Math.max(FONT_SIZES.min, Math.min(FONT_SIZES.max, fontSize + step));
}
