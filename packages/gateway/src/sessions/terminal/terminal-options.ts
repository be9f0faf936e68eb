/** What a terminal is made of, and what somebody who looks at it brings along. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { HostedSession } from '../host/hosted-session.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import type { TerminalRecorder } from './terminal-recorder.ts';
import type { ViewerWire } from './viewer.ts';

export const AGENT_BACK = { type: 'notice', kind: 'agent_back', text: 'the agent is back' } as const;

export interface AttachOptions {
  id: string;
  wire: ViewerWire;
  mode: ParticipantMode;
  /** Counts what they type. */
  writer: string;
  size: { cols: number; rows: number };
  /** Output they have already; undefined: a screenful. */
  from: number | undefined;
}

export interface TerminalOptions {
  hosted: HostedSession;
  recorder: TerminalRecorder | undefined;
  couldJoin(): Promise<string[]>;
  screens: SessionScreens;
}
