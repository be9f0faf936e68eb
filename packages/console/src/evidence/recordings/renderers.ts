/** What draws recordings, by what they show. One whose renderer is not built says so in words, in place of a player that stays blank. */
import { type Recorded, recordedAs } from '@gatehouse/contract/recordings/recording-types';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { WordId } from '../../platform/i18n/words.ts';
import type { CreateReplayScreen } from './screen/replay-screen.ts';

export interface BuiltRenderer {
  /** Fetched when a recording is opened: the list of recordings draws none. */
  load: () => Promise<CreateReplayScreen>;
  /** Pieces of it come as bytes. */
  reads?: 'pictures';
  /** Links of other clients to such a recording are wrong unless they carry its length. */
  linkTellsDuration?: true;
}

export interface MissingRenderer {
  /** Why it cannot be played. */
  missing: WordId;
}

/** Nothing moves in it: the player lists what was done. */
export interface ListRenderer {
  lists: 'statements';
}

export type Renderer = BuiltRenderer | ListRenderer | MissingRenderer;

export const RENDERERS = {
  terminal: {
    load: () => fetchCode(() => import('./screen/player-terminal.ts')).then((file) => file.createPlayerTerminal),
  },
  statements: { lists: 'statements' },
  desktop: {
    load: () => fetchCode(() => import('./screen/player-desktop.ts')).then((file) => file.createPlayerDesktop),
    reads: 'pictures',
    linkTellsDuration: true,
  },
} as const satisfies Record<Recorded, Renderer>;

/** Nothing for a type that this console does not know. */
export function rendererOf(type: string): Renderer | undefined {
  const recorded = recordedAs(type);
  return recorded && RENDERERS[recorded];
}

/** The renderer that is at work before anything is known of a recording: most are of terminals. */
export function builtRenderer(type: string | undefined): BuiltRenderer | undefined {
  const renderer = type === undefined ? RENDERERS.terminal : rendererOf(type);
  return renderer && 'load' in renderer ? renderer : undefined;
}

export function rendererCode(): readonly BuiltRenderer['load'][] {
  // What draws pictures is large, and only its own page may compile it.
  return Object.values(RENDERERS).flatMap((renderer) =>
    'load' in renderer && !('reads' in renderer) ? [renderer.load] : [],
  );
}

export function isList(type: string | undefined): boolean {
  const renderer = type === undefined ? undefined : rendererOf(type);
  return renderer !== undefined && 'lists' in renderer;
}

/** It shows pictures: no text is found in it, and none is taken out of it. */
export function isPicture(type: string): boolean {
  return builtRenderer(type)?.reads === 'pictures';
}

/** Whether there is a player for it. */
export function isPlayed(type: string): boolean {
  return isList(type) || builtRenderer(type) !== undefined;
}
