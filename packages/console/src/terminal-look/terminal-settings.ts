/** How somebody wants their terminals in this browser. */
import { useCallback, useMemo } from 'react';
import { z } from 'zod';
import { usePreference } from '../world/preferences.ts';

export const FONT_SIZES = { least: 8, most: 32 } as const;
export const SCROLLBACKS = [1_000, 10_000, 50_000] as const;

const settings = z.object({
  fontSize: z.int().min(FONT_SIZES.least).max(FONT_SIZES.most).default(13).catch(13),
  scrollback: z.int().min(0).max(100_000).default(1_000).catch(1_000),
  /** 'console' follows the theme of everything else. */
  theme: z.enum(['console', 'dark', 'light']).default('console').catch('console'),
  screenReader: z.boolean().default(false).catch(false),
  /** Programs may write to the clipboard without asking. */
  clipboard: z.boolean().default(false).catch(false),
  pasteWarning: z.boolean().default(true).catch(true),
});
export type TerminalSettings = z.output<typeof settings>;

export function readSettings(text: string | undefined): TerminalSettings {
  return settings.catch(() => settings.parse({})).parse(parseJson(text ?? '{}'));
}

export function useTerminalSettings(): [TerminalSettings, (change: Partial<TerminalSettings>) => void] {
  const [text, setText] = usePreference('terminal');
  const current = useMemo(() => readSettings(text), [text]);
  const change = useCallback(
    (wanted: Partial<TerminalSettings>) => setText(JSON.stringify({ ...current, ...wanted })),
    [current, setText],
  );
  return [current, change];
}

/** One step larger or smaller, within what can be read. */
export function steppedSize(fontSize: number, step: 1 | -1): number {
  return Math.max(FONT_SIZES.least, Math.min(FONT_SIZES.most, fontSize + step));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
