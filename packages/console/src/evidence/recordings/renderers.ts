/** What draws recordings, by what they show. One whose renderer is not built says so in words, in place of a player that stays blank. */
import { type Recorded, recordedAs } from '@gatehouse/contract/recordings/recording-types';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { WordId } from '../../platform/i18n/words.ts';
import type { CreateReplayScreen } from './screen/replay-screen.ts';

export interface BuiltRenderer {
  /** Fetched when a recording is opened: the list of recordings draws none. */
  load: () => Promise<CreateReplayScreen>;
}

export interface MissingRenderer {
  /** Why it cannot be played. */
  missing: WordId;
  /** Links of other clients to such a recording are wrong unless they carry its length. */
  linkTellsDuration?: true;
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
  desktop: { missing: 'recordings.not-terminal', linkTellsDuration: true },
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
  return Object.values(RENDERERS).flatMap((renderer) => ('load' in renderer ? [renderer.load] : []));
}

export function isList(type: string | undefined): boolean {
  const renderer = type === undefined ? undefined : rendererOf(type);
  return renderer !== undefined && 'lists' in renderer;
}

/** Whether there is a player for it. */
export function isPlayed(type: string): boolean {
  return isList(type) || builtRenderer(type) !== undefined;
}
