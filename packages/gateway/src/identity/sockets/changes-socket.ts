/** The socket on which a console hears what changes for its user: alerts, resources, its own account, the end of its sign-in. */

import { RULE_RESOURCES, type RuleResource } from '@gatehouse/contract/access/roles/vocabulary';
import { CHANGES_SOCKET, type ChangeFrame, SITE_CHANGES_SOCKET } from '@gatehouse/contract/identity/change-frames';
import { z } from 'zod';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Change } from '../../platform/change-feed/change-store.ts';
import { APPROVAL_TOPIC, JOIN_PROGRESS_TOPIC } from '../../platform/change-feed/topics.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { SparingSocket } from '../../platform/http/sparing-socket.ts';
import { type Seldom, seldom } from '../../platform/std/seldom.ts';
import { LEAF_TOPIC } from '../federation/stores/remote-cluster-store.ts';
import { TRUST_TOPIC } from '../federation/stores/trusted-cluster-store.ts';
import { HEADLESS_TOPIC } from '../headless/headless-store.ts';
import type { ServeSocket, Sockets } from './sockets.ts';

const ofUser = z.object({ user: z.string() });
/** Whose it is, and what a rule must let others list for them to hear of it. */
const ofSome = z.object({ user: z.string(), of: z.enum(RULE_RESOURCES) });
/** A fleet that starts at once is one notice to each console, not thousands. */
const RESOURCES_EVERY_MS = 1_000;

const TOPICS = [
  'alert',
  'user',
  'sign-in',
  'resource',
  APPROVAL_TOPIC,
  HEADLESS_TOPIC,
  JOIN_PROGRESS_TOPIC,
  TRUST_TOPIC,
  LEAF_TOPIC,
];

interface ChangeAccess {
  /** Calls back once changed roles and locks count: asked sooner, the gateway would answer with the old ones. */
  onChange(listener: () => void): () => void;
  /** Whether they may know of such things of others. */
  mayList(actor: Actor, of: RuleResource): boolean;
}

export function serveChangesSocket(sockets: Sockets, feed: ChangeFeed, access: ChangeAccess): void {
  const serve: ServeSocket = ({ socket, caller, asked, onEnd }) => {
    // Coming here is asking: it only listens, and hears of no more than that something of theirs has changed.
    asked();
    const sparing = new SparingSocket(socket);
    // None says more than that something has changed: the newest of each kind is all of them.
    const send = (frame: ChangeFrame) => sparing.latest(frame.type, () => JSON.stringify(frame));
    const resources = seldom(() => send({ type: 'resources' }), RESOURCES_EVERY_MS);
    const joins = seldom(() => send({ type: 'join-progress' }), RESOURCES_EVERY_MS);
    const approvals = seldom(() => send({ type: 'approvals' }), RESOURCES_EVERY_MS);
    const tellOthers = async (own: Seldom, of: RuleResource) => {
      // A sign-in that is over hears nothing more, and is told so elsewhere.
      const actor = await caller.now().catch(() => undefined);
      if (actor && access.mayList(actor, of)) own.tell();
    };
    const othersJoins = seldom(() => void tellOthers(joins, 'token'), RESOURCES_EVERY_MS);
    /** One for each sort of what is asked for. */
    const othersApprovals = new Map<RuleResource, Seldom>();
    const tellApproval = (data: unknown) => {
      const about = ofSome.safeParse(data).data;
      if (!about) return;
      if (about.user === caller.username) return approvals.tell();
      const others =
        othersApprovals.get(about.of) ?? seldom(() => void tellOthers(approvals, about.of), RESOURCES_EVERY_MS);
      othersApprovals.set(about.of, others);
      others.tell();
    };
    const subscription = feed.subscribe(TOPICS, {
      change: (change) => {
        if (change.topic === 'resource') return resources.tell();
        if (change.topic === APPROVAL_TOPIC) return tellApproval(change.data);
        if (change.topic === JOIN_PROGRESS_TOPIC)
          return (ofUser.safeParse(change.data).data?.user === caller.username ? joins : othersJoins).tell();
        const frame = frameFor(change, caller.username);
        if (frame) send(frame);
      },
      gap: () => {
        send({ type: 'alerts' });
        send({ type: 'user' });
        send({ type: 'headless' });
        resources.tell();
        joins.tell();
      },
    });
    const forget = access.onChange(() => send({ type: 'user' }));
    onEnd((reason) => send({ type: 'ended', reason }));
    socket.on('close', () => {
      subscription.close();
      resources.stop();
      joins.stop();
      othersJoins.stop();
      approvals.stop();
      for (const others of othersApprovals.values()) others.stop();
      forget();
    });
    // It only listens; whatever else a client says here is ignored.
    socket.on('message', () => undefined);
    send({ type: 'ready' });
  };
  sockets.add(CHANGES_SOCKET, 'hello', serve);
  sockets.add(SITE_CHANGES_SOCKET, 'hello', serve);
}

/** Notices only: what a user may not see is not asked for here, and each asks for what they may. */
function frameFor({ topic, id, data }: Change, username: string): ChangeFrame | undefined {
  if (topic === 'alert' || topic === TRUST_TOPIC || topic === LEAF_TOPIC) return { type: 'alerts' };
  if (topic === 'user') return id === username ? { type: 'user' } : undefined;
  if (ofUser.safeParse(data).data?.user !== username) return undefined;
  return { type: topic === HEADLESS_TOPIC ? 'headless' : 'user' };
}
