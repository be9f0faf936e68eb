/** Runs the agent: becomes known to its gateway, keeps a tunnel to it, and serves what is asked through that. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { VERSION } from '@gatehouse/contract/std/version';
import type { BackOff } from '@gatehouse/tunnel/back-off';
import { type AgentTunnel, type ConnectionState, connectTunnel } from '@gatehouse/tunnel/connect-tunnel';
import type { TunnelEnd } from '@gatehouse/tunnel/tunnel-error';
import type { AgentConfig } from './config/agent-config.ts';
import { findAwsCaller } from './identity/aws-caller.ts';
import { becomeKnown, join } from './identity/become-known.ts';
import { type DataFolder, openDataFolder, PROCESS_NAME } from './identity/data-folder.ts';
import { loadKey } from './identity/identity.ts';
import { keptIdentity } from './identity/kept-identity.ts';
import { processNoteOf } from './identity/process-note.ts';
import type { Discovery } from './kinds/agent-kind.ts';
import { allowRulesOf, discoverKinds } from './kinds/kinds.ts';
import { POD_FOLDER, POD_SERVER } from './kinds/kube/agent-kubes.ts';
import { createCommands } from './kinds/node/commands/commands.ts';
import { createFiles } from './kinds/node/files/serve-files.ts';
import { createForwards } from './kinds/node/forward/forwards.ts';
import { createKeySockets } from './kinds/node/keys/key-sockets.ts';
import { findLoginMethod } from './kinds/node/login/start-as.ts';
import { loadNativePty } from './kinds/node/pty/native-pty.ts';
import { createShells } from './kinds/node/shells/shells.ts';
import { runLabelCommands } from './report/label-commands.ts';
import { createOffers } from './report/offers.ts';
import { AgentFailure } from './runtime/agent-failure.ts';
import { watchAlone } from './runtime/alone-watch.ts';
import { languageFrom } from './runtime/children/environment.ts';
import { findDescriptorCloser } from './runtime/children/without-descriptors.ts';
import type { AgentLog } from './runtime/log.ts';
import { serveStreams } from './serve-streams.ts';

/** Beyond the end of the shells: for their last words, and for the gateway to have read them. */
const FAREWELL_MS = 2_000;
const DRAIN_MS = 10_000;
/** Labels that take longer to find out come with a later report. */
const FIRST_LABELS_MS = 3_000;

export interface AgentOptions {
  log: AgentLog;
  /** For the language of shells. */
  env: Record<string, string | undefined>;
  /** Ends by itself when it has had no gateway for so long. */
  aloneMs?: number | undefined;
  backOff?: BackOff | undefined;
  /** The first connection is up. */
  onReady?: (ready: { name: string; agentId: string; cluster: string; gateway: string }) => void;
}

export interface Agent {
  /** Resolves when it was stopped; rejects with an `AgentFailure` when it cannot go on. */
  readonly ended: Promise<void>;
  /** Says goodbye, so that what it offered is gone at once, and ends its shells. */
  stop(reason: string): Promise<void>;
}

/** Throws an `AgentFailure` when it cannot start. */
export async function startAgent(config: AgentConfig, options: AgentOptions): Promise<Agent> {
  const folder = openDataFolder(config.dataDir);
  try {
    folder.write(PROCESS_NAME, processNoteOf(config.gateway, VERSION));
    const agent = await runIn(folder, config, options);
    const ended = agent.ended.finally(() => folder.close());
    // Whoever only stops it need not listen.
    ended.catch(() => {});
    return {
      ended,
      async stop(reason) {
        await agent.stop(reason);
        await ended.catch(() => {});
      },
    };
  } catch (error) {
    folder.close();
    throw error;
  }
}

async function runIn(folder: DataFolder, config: AgentConfig, options: AgentOptions): Promise<Agent> {
  const { log, env, aloneMs, backOff, onReady } = options;
  const { gateway, allow, where, shell, logins } = config;
  const stopping = new AbortController();
  const secret = env.GATEHOUSE_AGENT_IDENTITY_SECRET;
  const kept = await keptIdentity(folder, secret ? { server: POD_SERVER, folder: POD_FOLDER, secret } : undefined);
  const key = loadKey(folder);
  // Before it is used: an answer to a join that gets lost must find the same key again.
  await kept.save();
  /** Its token only until the gateway has let it in: a removed agent must not be able to come back by itself. */
  const awsCaller = (signal: AbortSignal) => findAwsCaller({ env, signal, now: Date.now });
  const becoming = { folder, config: { ...config }, key, log, signal: stopping.signal, awsCaller };
  let identity = await becomeKnown(becoming);
  await kept.save();

  const closer = await findDescriptorCloser();
  const allowed = [...allow, ...allowRulesOf(config)];
  let discovery: Discovery | undefined;
  const deps = {
    rules: { shell, logins, where },
    dialRules: {
      // What is found changes.
      get allow() {
        return [...allowed, ...(discovery?.allowRules() ?? [])];
      },
      where,
    },
    way: await findLoginMethod(),
    closer,
    native: loadNativePty(),
    language: languageFrom(env),
    kubes: config.kubernetes,
    env,
    log,
  };
  const keys = createKeySockets({ ...deps, mayForward: config.forward });
  const shells = createShells({ ...deps, keys });
  const commands = createCommands({ ...deps, keys });
  const forwards = createForwards({ ...deps, mayForward: config.forward });
  const offers = createOffers({ config, identity: () => identity, found: () => discovery?.offers() ?? [] });
  discovery = discoverKinds(config, { onChange: offers.changed, log });
  const labels = runLabelCommands({ commands: config.commands, closer, onChange: offers.setFound, log });
  await Promise.race([Promise.all([labels.first, discovery.first]), afterMs(FIRST_LABELS_MS)]);

  const ended = Promise.withResolvers<void>();
  const instanceId = randomUUID();
  const onStream = serveStreams({
    ...deps,
    offers,
    shells,
    commands,
    forwards,
    keys,
    files: createFiles(deps),
    signal: stopping.signal,
  });
  const alone = watchAlone(aloneMs, () => void stop('no gateway has been there for too long'));
  let ready = false;
  let stopped = false;
  let tunnel = connect();

  function connect(): AgentTunnel {
    const connected = connectTunnel({
      url: `${gateway}${TUNNEL_PATH}`,
      key,
      ca: config.ca,
      pin: config.caPin,
      hello: () => ({
        version: VERSION,
        hostname: hostname(),
        instanceId,
        offers: offers.counts(),
      }),
      onStream,
      log,
      now: () => performance.now(),
      onState: heard,
      ...(backOff ? { backOff } : {}),
    });
    void connected.closed.then(lost);
    return connected;
  }

  function heard({ state }: ConnectionState): void {
    alone.told(state === 'connected');
    if (state !== 'connected' || ready) return;
    ready = true;
    becoming.config.token = undefined;
    onReady?.({ name: identity.name, agentId: identity.agentId, cluster: identity.cluster, gateway });
  }

  /** The tunnel will not come back by itself: the gateway does not want this agent. */
  async function lost({ reason, code }: TunnelEnd): Promise<void> {
    if (stopped) return;
    try {
      if (code !== 'refused' || becoming.config.token === undefined) throw new AgentFailure('denied', reason);
      log.warn({ reason }, 'the gateway does not know this agent: joining again');
      identity = await join(becoming);
      await kept.save();
      if (!stopped) tunnel = connect();
    } catch (error) {
      await stop(reason, error);
    }
  }

  async function stop(reason: string, failure?: unknown): Promise<void> {
    if (stopped) return;
    stopped = true;
    alone.stop();
    labels.stop();
    discovery?.stop();
    // First: from now on the gateway sends nobody here, and shows nobody what we offer.
    const closed = tunnel.close({ reason, drainMs: DRAIN_MS });
    await Promise.all([shells.endAll(reason), commands.endAll(reason)]);
    stopping.abort();
    await Promise.race([closed, afterMs(FAREWELL_MS)]);
    await tunnel.close({ reason, drainMs: 0 });
    shells.close();
    forwards.close();
    keys.close();
    if (failure === undefined) ended.resolve();
    else ended.reject(failure);
  }
  return { ended: ended.promise, stop: (reason) => stop(reason) };
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
