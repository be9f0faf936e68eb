/** Leads whoever opens the address of a test to the provider: the browser that opens it is the one that comes back. */
import { LOCAL_ACTOR } from '@gatehouse/contract/identity/own-actors';
import type { Exchange } from '../../../../platform/http/call.ts';
import type { PageReply } from '../../../../platform/http/page-reply.ts';
import type { ConnectorDeps } from '../../connector-deps.ts';
import { claimBrowser, findAttempt } from '../../stores/attempt-store.ts';
import { rememberBrowser } from './begin-attempt.ts';

export const GO = '/v1/webapi/sso/go/';

/**
 * By a link that somebody sent, or an address that was typed; a page of ours says that it is one. Whoever follows the link of a colleague
 * would show them, with one click on an address they trust, what is theirs.
 */
function isLedHere(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin';
}

/** A test may be begun by a command line: the browser that opens it is the one that comes back. */
export async function openTest(deps: ConnectorDeps, id: string, exchange: Exchange): Promise<PageReply> {
  const { db, secrets, now } = deps;
  const found = await findAttempt(db, secrets, id, now());
  const { attempt, kept } = found ?? {};
  const isOpen = attempt?.purpose === 'test' && attempt.browserHash === '' && kept !== undefined && kept.url !== '';
  if (isOpen && isLedHere(exchange))
    return {
      words: `${whoTries(attempt.user)} tries the sign-in connector '${attempt.connector}'. If you go on, they are shown what the provider says of you.`,
      goesOn: `${GO}${id}`,
    };
  if (isOpen && (await claimBrowser(db, id, rememberBrowser(exchange), now()))) return { redirect: kept.url };
  return { words: 'This test was opened before, or is too old: begin it again.', failed: true };
}

/** Whoever is asked to go on has to know whom to ask back: a name of ours would tell them nothing. */
function whoTries(user: string | undefined): string {
  return user === LOCAL_ACTOR ? "An administrator on the gateway's machine" : `'${user}'`;
}
