/** Why no stream came of a request to an agent, in words for whoever wanted to go there. */

import type { StreamRefusalCode } from '@gatehouse/contract/reach/tunnel/streams';
import type { ErrorCode } from '@gatehouse/contract/wire/errors';
import { StreamRefused, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import { AppError } from '../../../platform/std/app-error.ts';

/** What the agent answers → what we answer. */
const REFUSED: Record<StreamRefusalCode, ErrorCode> = {
  bad_request: 'bad_request',
  not_allowed: 'denied',
  not_found: 'target_unreachable',
  busy: 'unavailable',
  failed: 'target_unreachable',
  unreachable: 'target_unreachable',
  draining: 'target_unreachable',
};

/** Anything that is neither of the tunnel nor of the agent is the caller's own and stays as it is. */
export function explainFailure(error: unknown, agentName: string): unknown {
  if (error instanceof StreamRefused) {
    const said = error.message || 'it gave no reason';
    const words =
      error.code === 'not_allowed'
        ? `the configuration of the agent '${agentName}' does not allow it: ${said}`
        : `the agent '${agentName}' could not get there: ${said}`;
    return new AppError(REFUSED[error.code], words, { cause: error });
  }
  if (!(error instanceof TunnelError)) return error;
  switch (error.code) {
    case 'timed_out':
      return unreachable(`the agent '${agentName}' did not answer in time`, error);
    case 'busy':
      return new AppError('unavailable', `the agent '${agentName}' has too much open: try again in a moment`, {
        cause: error,
      });
    case 'bad_request':
      return new AppError('bad_request', error.message, { cause: error });
    default:
      return unreachable(`the connection to the agent '${agentName}' was lost`, error);
  }
}

function unreachable(message: string, cause: unknown): AppError {
  return new AppError('target_unreachable', message, { cause });
}
