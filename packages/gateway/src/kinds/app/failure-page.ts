/** Why an application could not be shown, for whoever wanted to see it. */

import { AppError } from '../../platform/std/app-error.ts';
import { UpstreamFault } from '../../reach/http/upstream-fault.ts';
import type { AppPage } from './app-page.ts';

/** To the same address. */
const AGAIN = { url: '', text: 'Try again' };

export function failurePage(error: unknown): AppPage {
  if (error instanceof UpstreamFault)
    return {
      status: 502,
      title: 'Application Failed',
      message: `the application did not answer as it should: ${error.message}`,
      link: AGAIN,
    };
  if (!(error instanceof AppError))
    return { status: 500, title: 'Internal Error', message: 'the gateway made a mistake; its log tells more' };
  const next = typeof error.fields?.next === 'string' ? error.fields.next : undefined;
  if (error.code === 'denied') return { status: 403, title: 'Access Denied', message: error.message, next };
  if (error.code === 'unavailable') return { status: 503, title: 'Busy', message: error.message, next, link: AGAIN };
  return { status: 504, title: 'Application Unreachable', message: error.message, next, link: AGAIN };
}
