/** Somebody signed in at a root who calls a leaf: with a passport for each call, through the door for relayed ones. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { call, type Send } from '@gatehouse/contract/wire/client';
import type { Actor } from '../../src/platform/http/actor.ts';
import { openRelayedDoor, type RemoteVisit } from '../../src/platform/http/relayed-door.ts';
import type { TestBrowser } from '../test-browser.ts';
import type { TestCluster } from './two-clusters.ts';

export interface Visitor {
  browser: TestBrowser;
  actor(): Promise<Actor>;
  passport(): Promise<string>;
  admit(trust?: string): Promise<RemoteVisit>;
  send: Send;
  /** Through the trust of that name. */
  sendTo(trust: string): Send;
}

export async function visitor(root: TestCluster, leaf: TestCluster, name: string): Promise<Visitor> {
  const browser = await root.signedIn(name);
  const signIn = (await call(browser.send, signInsRoutes.list, {})).find(({ current }) => current);
  const actor = () => root.identity.callerOf({ username: name, signInId: signIn!.id, address: '203.0.113.7' }).now();
  const passport = async () => {
    const { federation } = root.identity;
    return federation.passportFor(
      await actor(),
      federation.leaves.byId(leaf.storage.cluster.clusterId)!,
      leaf.identity.federation.gatewayId,
    );
  };
  const admit = async (trust = 'root') => leaf.identity.federation.admit(await passport(), trust);
  const sendTo =
    (trust: string): Send =>
    async (given) =>
      sendAs(leaf, await admit(trust), given);
  return { browser, actor, passport, admit, sendTo, send: sendTo('root') };
}

async function sendAs(leaf: TestCluster, visit: RemoteVisit, { method, url, body }: Parameters<Send>[0]) {
  const door = openRelayedDoor(leaf.app, { origin: () => 'http://localhost:3080', cluster: 'leaf' });
  const [near, far] = duplexPair();
  door.serve(far, visit);
  const asked = request({
    method,
    path: url,
    createConnection: () => near as Socket,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
  });
  asked.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve);
    asked.once('error', reject);
  });
  return { status: answer.statusCode ?? 0, text: await text(answer) };
}
