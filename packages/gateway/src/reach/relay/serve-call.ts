/** The end of a relay where calls are served: looks at the passport of each stream, and gives it to the gateway's own API. */
import type { OfferedStream, StreamRequest } from '@gatehouse/tunnel/agent-session';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import type { RelayedDoor, RemoteVisit } from '../../platform/http/relayed-door.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { passportOf } from './relayed-streams.ts';

export interface ServeCallDeps {
  door: Pick<RelayedDoor, 'serve'>;
  /** Throws an `AppError` for one that is not let in, with words for whoever it is of. */
  admit(passport: string): Promise<RemoteVisit>;
}

export async function serveCall(
  { door, admit }: ServeCallDeps,
  offered: OfferedStream,
  request: StreamRequest,
): Promise<void> {
  const visit = await admit(passportOf(request.metadata)).catch((error: unknown) => {
    if (error instanceof AppError) throw new StreamRefused(REFUSALS[error.code] ?? 'failed', error.message);
    throw error;
  });
  // It was given up meanwhile.
  if (!request.isGone) door.serve(offered.acceptWithAnswer(), visit);
}

const REFUSALS: Partial<Record<AppError['code'], StreamRefused['code']>> = {
  denied: 'not_allowed',
  not_signed_in: 'not_allowed',
  bad_request: 'not_allowed',
  unavailable: 'busy',
  too_many: 'busy',
};
