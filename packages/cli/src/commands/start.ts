/** `gatehouse start`: runs the gateway until it is told to stop. */
import type { Command } from 'commander';
import { addCommand, addConfigFlags, type CommandParts, type Format, type Io, print } from '../command.ts';
import { Failure } from '../failure.ts';
import { linkText } from '../link-text.ts';
import { type LocalAgent, localAddress, startLocalAgent } from '../local-agent.ts';
import { stopSignals } from '../stop-signals.ts';

type Options = { format: Format; localAgent?: boolean } & Record<string, unknown>;

/** Beyond the drain time the gateway promised, something hangs and waiting helps nobody. */
const CLOSE_MARGIN_MS = 5_000;

export function addStartCommand(program: Command, { io, configFlags }: CommandParts): void {
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
  addConfigFlags(start, configFlags).action(async ({ format, localAgent, ...typed }: Options) => {
    const flags = typed as Record<string, string>;
    const { loadConfig } = await import('@gatehouse/gateway/config/load-config');
    const { formatProblem } = await import('@gatehouse/gateway/config/config-error');
    const { config, warnings } = loadConfig({ flags, env: io.env, cwd: io.cwd });
    const { createLog } = await import('@gatehouse/gateway/log/create-log');
    const log = createLog(config.log);
    for (const warning of warnings) log.warn({ key: warning.key }, formatProblem(warning));

    const signals = stopSignals(process);
    const { lastResort } = await import('@gatehouse/tunnel/last-resort');
    const resort = lastResort(process, (error) => log.error({ error }, 'an error that nobody expected; stopping'));
    const { startGateway } = await import('@gatehouse/gateway/gateway');
    // A start that waits for a database out of reach must not have to be killed.
    const gateway = await Promise.race([startGateway(config, { log }), signals.first, resort.failed]);
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
    if (typeof ended === 'string') {
      log.info({ signal: ended }, 'stopping');
      // Before the gateway: the ends of its sessions are then still heard and recorded.
      await Promise.race([agent?.stop(), signals.second]);
    }
    const limitMs = config.drainSeconds * 1000 + CLOSE_MARGIN_MS;
    const finished = await Promise.race([gateway.close().then(() => true), signals.second, after(limitMs)]);
    signals.release();
    if (ended instanceof Error) throw ended;
    if (finished !== true) forceEnd('the gateway was stopped before open calls had finished');
    log.info({}, 'stopped');

    async function ownAgent(gatewayUrl: string): Promise<LocalAgent | undefined> {
      if (process.platform !== 'linux') return undefined;
      const [{ localSend }, { authorityFile }] = await Promise.all([
        import('@gatehouse/gateway/local-socket/local-send'),
        import('@gatehouse/gateway/tls/self-made'),
      ]);
      const address = localAddress(config, gatewayUrl, authorityFile);
      const { dataDir } = config;
      return await startLocalAgent({ io, dataDir, address, send: localSend(dataDir), log });
    }
  });

  /** What still hangs would keep the process alive for ever. */
  function forceEnd(message: string): never {
    setTimeout(() => process.exit(), 100).unref();
    throw new Failure('failed', message);
  }
}

/** Without it a new gateway would have nobody to let in, and there is no default password. */
async function firstAdminText(io: Io, { inviteUrl, expires }: { inviteUrl: string; expires: string }): Promise<string> {
  return `\nNobody can sign in yet. Become the first administrator (once, until ${expires}):\n${await linkText(io, inviteUrl)}`;
}

async function after(timeMs: number): Promise<'time is over'> {
  return await new Promise((resolve) => setTimeout(() => resolve('time is over'), timeMs).unref());
}
