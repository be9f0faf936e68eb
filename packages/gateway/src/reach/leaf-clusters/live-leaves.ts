/** Holds the tunnels of leaves: one for each gateway that a leaf runs; says when the first came and the last went. */
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import { messageOf, type TunnelEnd } from '@gatehouse/tunnel/tunnel-error';
import type { Log } from '../../platform/std/log.ts';
import type { ClusterNews } from '../../platform/std/news-line.ts';
import { NEWS_TARGET } from '../relay/relayed-streams.ts';
import { type KnownLeaf, type LinkState, type RootTrust, TRUST_ENDED } from './known-clusters.ts';
import { carryNews } from './news-stream.ts';

/** A leaf whose line broke is back within a second or two: nobody reads of that. */
const GRACE_MS = 3_000;
/** More gateways than one leaf runs. */
const MAX_TUNNELS = 8;
/** The row tells when it was last there, also after a kill -9. */
const SEEN_EVERY_MS = 60_000;

export const REMOVED = 'this cluster was removed there: its administrator ended the trust';
const OTHER_KEY = 'the key it proved is not the one that is trusted any more: join again with a new token';

export interface LiveLeavesDeps {
  /** Writes down that one came, or is gone and why. */
  tell(link: { name: string; connected: boolean; reason?: string }): Promise<unknown>;
  trust: RootTrust;
  news: Pick<ClusterNews, 'withLeaf'> | undefined;
  log: Log;
  now: () => number;
  /** How long open streams may go on when this gateway closes. */
  drainMs: number;
  graceMs?: number;
}

interface LiveLeaf {
  leaf: KnownLeaf;
  tunnel: Tunnel;
  since: number;
}

type Gone = Extract<LinkState, { isConnected: false }>;

export class LiveLeaves {
  readonly #deps: LiveLeavesDeps;
  /** By leaf: of each of its gateways, in the order in which they came. */
  readonly #live = new Map<string, LiveLeaf[]>();
  /** Of those that were here since this gateway started. */
  readonly #gone = new Map<string, Gone>();
  /** Whose end is told unless they come back before. */
  readonly #missing = new Map<string, NodeJS.Timeout>();
  readonly #work = new Set<Promise<void>>();
  readonly #forget: () => void;
  readonly #seen: NodeJS.Timeout;
  #closing = false;

  constructor(deps: LiveLeavesDeps) {
    this.#deps = deps;
    this.#forget = deps.trust.leaves.onChange(() => this.#lookAgain());
    this.#seen = setInterval(() => {
      for (const [first] of this.#live.values()) if (first) this.#note(first);
    }, SEEN_EVERY_MS).unref();
  }

  get size(): number {
    return this.#live.size;
  }

  /** A tunnel of a leaf that is there: the same one while it lasts, for what was opened at a gateway is found there. */
  get(id: string): Tunnel | undefined {
    return this.#live.get(id)?.[0]?.tunnel;
  }

  state(id: string): LinkState {
    const [first] = this.#live.get(id) ?? [];
    if (first) return { isConnected: true, since: first.since, version: first.tunnel.hello.version };
    return this.#gone.get(id) ?? { isConnected: false };
  }

  /** Takes over the tunnel of a leaf that was let in. The one that the same gateway had before is closed. */
  async admit(tunnel: Tunnel, leaf: KnownLeaf, address: string): Promise<void> {
    const { log, now } = this.#deps;
    const live: LiveLeaf = { leaf, tunnel, since: now() };
    const before = this.#live.get(leaf.id) ?? [];
    const { instanceId } = tunnel.hello;
    const others = before.filter((each) => each.tunnel.hello.instanceId !== instanceId);
    if (others.length >= MAX_TUNNELS)
      return this.#follow(
        tunnel.close(`${MAX_TUNNELS} gateways of this cluster are connected already`, { retry: true }),
      );
    this.#live.set(leaf.id, [...others, live]);
    this.#gone.delete(leaf.id);
    void tunnel.leaving.then((end) => this.#leave(live, end));
    for (const each of before)
      if (!others.includes(each)) this.#follow(each.tunnel.close('the cluster connected anew', { retry: true }));
    const wasMissing = this.#missing.get(leaf.id);
    clearTimeout(wasMissing);
    this.#missing.delete(leaf.id);
    this.#note(live);
    // What changed while it shook hands was heard by nobody.
    if (!this.#mayStay(live)) return;
    if (this.#closing) return void this.#farewell(live);
    log.info({ cluster: leaf.name, address, transport: tunnel.transport }, 'leaf cluster connected');
    if (before.length === 0 && !wasMissing) this.#tell(leaf.name, true, '');
    await this.#openNews(live);
  }

  async #openNews({ leaf, tunnel }: LiveLeaf): Promise<void> {
    const { news, log } = this.#deps;
    if (!news) return;
    try {
      const stream = await tunnel.open(NEWS_TARGET);
      carryNews(
        stream,
        (line) => news.withLeaf(leaf.id, line),
        // Without it the leaf would hear of nothing that ends: it connects anew, and is told everything again.
        (reason) => this.#follow(tunnel.close(`the line of news broke: ${reason}`, { retry: true })),
      );
    } catch (error) {
      log.warn({ cluster: leaf.name, error: messageOf(error) }, 'no news with a leaf cluster');
      await tunnel.close('the line of news cannot be opened', { retry: true });
    }
  }

  #lookAgain(): void {
    for (const live of this.#all()) this.#mayStay(live);
    for (const id of this.#gone.keys()) if (!this.#deps.trust.leaves.byId(id)) this.#gone.delete(id);
  }

  /** Ends the tunnel of one that was removed, or is known by another key now. */
  #mayStay(live: LiveLeaf): boolean {
    const known = this.#deps.trust.leaves.byId(live.leaf.id);
    const { publicKey } = live.tunnel.agentKey;
    const reason = known ? (known.key === publicKey || known.next === publicKey ? undefined : OTHER_KEY) : REMOVED;
    if (known) live.leaf = known;
    if (reason !== undefined) this.#follow(live.tunnel.close(reason, { retry: false }));
    return reason === undefined;
  }

  #leave(live: LiveLeaf, { reason }: TunnelEnd): void {
    const { leaf } = live;
    const left = this.#live.get(leaf.id)?.filter((each) => each !== live);
    if (left === undefined || left.length === this.#live.get(leaf.id)?.length) return;
    const { log, now, graceMs = GRACE_MS } = this.#deps;
    if (left.length > 0) return void this.#live.set(leaf.id, left);
    this.#live.delete(leaf.id);
    this.#gone.set(leaf.id, { isConnected: false, since: now(), trouble: reason });
    log.info({ cluster: leaf.name, reason }, 'leaf cluster gone');
    if (this.#closing) return;
    if (reason === TRUST_ENDED && this.#deps.trust.leaves.byId(leaf.id))
      this.#follow(this.#deps.trust.noteLeft(leaf.id, reason));
    else this.#note(live);
    const told = () => {
      this.#missing.delete(leaf.id);
      this.#tell(leaf.name, false, reason);
    };
    this.#missing.set(leaf.id, setTimeout(told, graceMs).unref());
  }

  #all(): LiveLeaf[] {
    return [...this.#live.values()].flat();
  }

  #note({ leaf, tunnel }: LiveLeaf): void {
    const { version } = tunnel.hello;
    if (this.#deps.trust.leaves.byId(leaf.id))
      this.#follow(this.#deps.trust.noteLeaf(leaf.id, { version, key: tunnel.agentKey.publicKey }));
  }

  #tell(name: string, connected: boolean, reason: string): void {
    this.#follow(this.#deps.tell({ name, connected, ...(connected ? {} : { reason }) }));
  }

  #farewell({ tunnel }: LiveLeaf): void {
    this.#follow(tunnel.close('the gateway is closing', { retry: true, drainMs: this.#deps.drainMs }));
  }

  #follow(work: Promise<unknown>): void {
    const followed = work.then(
      () => {},
      (error: unknown) => this.#deps.log.warn({ error }, 'what a leaf cluster left cannot be written'),
    );
    this.#work.add(followed);
    void followed.then(() => this.#work.delete(followed));
  }

  beginClose(): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#forget();
    clearInterval(this.#seen);
    for (const timer of this.#missing.values()) clearTimeout(timer);
    for (const live of this.#all()) this.#farewell(live);
  }

  async close(): Promise<void> {
    this.beginClose();
    for (const { tunnel } of this.#all()) this.#follow(tunnel.close('the gateway is closing', { retry: true }));
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
