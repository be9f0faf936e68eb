/** What draws each type of recording. A type whose renderer is not built says so in words, in place of a player that stays blank. */
import { isRecordingType, type RecordingType } from '@gatehouse/contract/recordings/recording-types';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { WordId } from '../../platform/i18n/words.ts';
import type { CreateReplayScreen } from './player/screen/replay-screen.ts';

export interface BuiltRenderer {
  /** Fetched when a recording is opened: the list of recordings draws none. */
  load: () => Promise<CreateReplayScreen>;
}

export interface MissingRenderer {
  /** Why nothing of this type can be played. */
  missing: WordId;
  /** Links of other clients to this type are wrong unless they carry its length. */
  linkTellsDuration?: true;
}

export type Renderer = BuiltRenderer | MissingRenderer;

const terminal: BuiltRenderer = {
  load: () => fetchCode(() => import('./player/screen/player-terminal.ts')).then((file) => file.createPlayerTerminal),
};

export const RENDERERS: Readonly<Record<RecordingType, Renderer>> = {
  ssh: terminal,
  k8s: terminal,
  desktop: { missing: 'recordings.not-terminal', linkTellsDuration: true },
};

/** Nothing for a type that this console does not know. */
export function rendererOf(type: string): Renderer | undefined {
  return isRecordingType(type) ? RENDERERS[type] : undefined;
}

/** The renderer that is at work before anything is known of a recording: most are of terminals. */
export function builtRenderer(type: string | undefined): BuiltRenderer | undefined {
  const renderer = type === undefined ? terminal : rendererOf(type);
  return renderer && 'load' in renderer ? renderer : undefined;
}

/** Each renderer's code, once. */
export function rendererCode(): readonly BuiltRenderer['load'][] {
  const built = Object.values(RENDERERS).filter((renderer) => 'load' in renderer);
  return [...new Set(built.map(({ load }) => load))];
}
