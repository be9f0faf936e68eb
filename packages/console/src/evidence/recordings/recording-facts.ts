/** What is told of any recording, on the list and in the player. */
import { DB_PROTOCOL_TITLES, DB_PROTOCOLS } from '@gatehouse/contract/kinds/db/db-address';
import { isRecordingType } from '@gatehouse/contract/recordings/recording-types';
import type { Recording, RecordingState } from '@gatehouse/contract/recordings/recordings';
import type { IconComponent } from '@gatehouse/design/icon';
import CircleOff from 'lucide-react/icons/circle-off';
import CirclePlay from 'lucide-react/icons/circle-play';
import FileQuestion from 'lucide-react/icons/file-question-mark';
import FileX from 'lucide-react/icons/file-x';
import Radio from 'lucide-react/icons/radio';
import Scissors from 'lucide-react/icons/scissors';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import Trash from 'lucide-react/icons/trash-2';
import Unplug from 'lucide-react/icons/unplug';
import VideoOff from 'lucide-react/icons/video-off';
import { asSentence } from '../../platform/i18n/formats.ts';
import type { Translate } from '../../platform/i18n/words.ts';
import { sessionRow, useKinds } from '../../shared/kinds/kinds-context.tsx';
import { isPlayed, rendererOf } from './renderers.ts';

export const STATE_ICONS: Record<RecordingState, IconComponent> = {
  complete: CirclePlay,
  live: Radio,
  truncated: Scissors,
  corrupted: ShieldAlert,
  missing: FileQuestion,
  disabled: VideoOff,
  non_interactive: CircleOff,
  never_connected: Unplug,
  failed: FileX,
  removed: Trash,
};

/** The icon of what a recorded session was with. */
export function useKindIcon(): (sessionKind: string) => IconComponent {
  const table = useKinds();
  return (sessionKind) => sessionRow(table, sessionKind)?.icon ?? CirclePlay;
}

export function kindWords(t: Translate, kind: string): string {
  return isRecordingType(kind) ? t(`recordings.kind-${kind}`) : t('recordings.kind-other');
}

/** Nobody is led to a player that has nothing to draw. */
export function mayPlay(recording: Recording): boolean {
  return recording.playable && isPlayed(recording.kind);
}

/** "deploy@web-01", or the resource alone where nobody logs in. */
export function nameOf(t: Translate, { login, resource }: Pick<Recording, 'login' | 'resource'>): string {
  return login === '' ? resource.name : t('recordings.name', { login, resource: resource.name });
}

/** "orders, PostgreSQL" or "shop/web-1/api": what of a resource it was with, where that is told. */
export function partOf({ database, protocol, inside }: Pick<Recording, 'database' | 'protocol' | 'inside'>): string {
  const title = DB_PROTOCOLS.find((known) => known === protocol);
  return [inside, database, title ? DB_PROTOCOL_TITLES[title] : protocol].filter(Boolean).join(', ');
}

/** What is wrong with it: the gateway's words where it has some. */
export function whyWords(t: Translate, { state, reason, kind, playable }: Recording): string {
  if (reason !== '') return asSentence(reason);
  if (state !== 'complete' && state !== 'live') return t(`recordings.why-${state}`);
  const renderer = rendererOf(kind);
  if (!playable || isPlayed(kind)) return '';
  return t(renderer && 'missing' in renderer ? renderer.missing : 'recordings.not-terminal');
}

/** "07:41", with hours only where there are some. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / 3_600);
  return hours > 0 ? [hours, ...parts].join(':') : parts.join(':');
}
