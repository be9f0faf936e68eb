/** `gatehouse start`: runs the gateway until it is told to stop. */
import type { Command } from 'commander';
import { addCommand, addConfigFlags, type CommandDeps, type Format, type Io, print } from '../command.ts';
import { linkText } from '../output/link-text.ts';
import { Failure } from '../runtime/failure.ts';
import { type LocalAgent, localAddress, startLocalAgent } from '../runtime/local-agent.ts';
import { stopSignals } from '../runtime/stop-signals.ts';

type Options = {
  format: Format;
  localAgent?: boolean;
  newCluster?: boolean;
  acceptOlderStore?: boolean;
} & Record<string, unknown>;

/** After everything has closed, what still keeps the process is a mistake of ours and nobody's to wait for. */
const LINGER_MS = 500;

export function addStartCommand(program: Command, { io, configFlags }: CommandDeps): void {
  const start = addCommand(program, {
    name: 'start',
    summary: 'Run the gateway. Prints one line with its address when it is ready; the log goes to standard error.',
    examples: [
      'gatehouse start',
      'gatehouse start --listen 127.0.0.1:4000 --data-dir ./try --local-agent',
      'gatehouse start --config /etc/gatehouse.yaml --log-format json',
    ],
  });
  start.option('--local-agent', 'also run an agent for this machine, as a process of its own');
  start.option('--no-local-agent', 'run none, as is the default; npm start runs one');
  start.option('--new-cluster', 'begin anew where the store is lost; what is left of the old one is put aside');
  start.option('--accept-older-store', 'start on a store that is older than it was, as after a restore on purpose');
  addConfigFlags(start, configFlags).action(async (options: Options) => {
    const { format, localAgent, newCluster, acceptOlderStore, ...typed } = options;
    const consent = { newCluster, olderStore: acceptOlderStore };
    const flags = typed as Record<string, string>;
    const { loadConfig } = await import('@gatehouse/gateway/platform/config/load-config');
    const { formatProblem } = await import('@gatehouse/gateway/platform/config/config-error');
    const { preflight, requireNone } = await import('@gatehouse/gateway/compose/preflight/preflight');
    const loaded = loadConfig({ flags, env: io.env, cwd: io.cwd });
    requireNone(await preflight(loaded));
    const { config, warnings } = loaded;
    const { createLog } = await import('@gatehouse/gateway/platform/log/create-log');
    const log = createLog(config.log);
    for (const warning of warnings) log.warn({ key: warning.key }, formatProblem(warning));

    const signals = stopSignals(process);
    const { lastResort } = await import('@gatehouse/tunnel/last-resort');
    const resort = lastResort(process, (error) => log.error({ error }, 'an error that nobody expected; stopping'));
    const { startGateway } = await import('@gatehouse/gateway/gateway');
    const { shownConfig } = await import('@gatehouse/gateway/platform/config/show-config');
    const { closesWithinMs } = await import('@gatehouse/gateway/platform/std/drain');
    // A start that waits for a database out of reach must not have to be killed.
    const gateway = await Promise.race([
      startGateway(config, { log, consent, settings: shownConfig(loaded) }),
      signals.first,
      resort.failed,
    ]);
    if (typeof gateway === 'string') return forceEnd('stopped before the gateway was ready');
    if (gateway instanceof Error) return forceEnd(`the gateway cannot start: ${gateway.message}`);
    const url = `${gateway.url.replace(/\/(web\/?)?$/, '')}/web`;
    const invite = await gateway.identity.firstAdminInvite();
    const firstAdmin = invite ? await firstAdminText(io, invite) : '';
    print(
      io,
      format,
      { ready: true, url, dataDir: config.dataDir, ...(invite ? { firstAdmin: invite } : {}) },
      `Gatehouse is ready at ${url}\n${firstAdmin}`,
    );
    const agent = localAgent ? await ownAgent(gateway.url) : undefined;

    const ended = await Promise.race([signals.first, gateway.failed, resort.failed]);
    const limitMs = closesWithinMs(config.drainSeconds);
    if (typeof ended === 'string') log.info({ signal: ended, seconds: limitMs / 1000 }, 'stopping');
    const stopping = stopInOrder(typeof ended === 'string' ? agent : undefined, gateway, limitMs);
    const stopped = await Promise.race([stopping, signals.second, after(limitMs)]).catch((error: unknown) => {
      log.error({ error }, 'the gateway cannot stop in order');
      return false;
    });
    // From here on the process ends, whatever still runs or fails in it.
    if (ended instanceof Error) {
      endSoon();
      throw ended;
    }
    if (typeof stopped === 'string') forceEnd(`stopped at once by ${stopped}: what was open was not waited for`);
    if (!stopped) forceEnd('not all of the gateway had closed within the drain time');
    log.info({}, 'stopped');
    signals.release();
    setTimeout(() => process.exit(), LINGER_MS).unref();

    async function ownAgent(gatewayUrl: string): Promise<LocalAgent | undefined> {
      if (process.platform !== 'linux') return undefined;
      const [{ localSend }, { authorityFile }] = await Promise.all([
        import('@gatehouse/gateway/doors/local-socket/local-send'),
        import('@gatehouse/gateway/platform/tls/self-made'),
      ]);
      const address = localAddress(config, gatewayUrl, authorityFile);
      const { dataDir } = config;
      return await startLocalAgent({ io, dataDir, address, send: localSend(dataDir), log });
    }
  });

  function forceEnd(message: string): never {
    endSoon();
    throw new Failure('failed', message);
  }

  /** What still hangs would keep the process alive for ever. Not at once: why is printed first. */
  function endSoon(): void {
    setTimeout(() => process.exit(), 100).unref();
  }
}

/** Without it a new gateway would have nobody to let in, and there is no default password. */
async function firstAdminText(io: Io, { inviteUrl, expires }: { inviteUrl: string; expires: string }): Promise<string> {
  return `\nNobody can sign in yet. Become the first administrator (once, until ${expires}):\n${await linkText(io, inviteUrl)}`;
}

/** The agent first: the ends of its sessions are then still heard and recorded. */
async function stopInOrder(
  agent: LocalAgent | undefined,
  gateway: { close(withinMs: number): Promise<boolean> },
  limitMs: number,
): Promise<boolean> {
  const began = performance.now();
  await agent?.stop(limitMs / 2);
  return await gateway.close(limitMs - (performance.now() - began));
}

/** False, as what is not done by then is not done. */
async function after(timeMs: number): Promise<false> {
  return await new Promise((resolve) => setTimeout(() => resolve(false), timeMs).unref());
}
