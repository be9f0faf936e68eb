/** `gatehouse agent`: connects the machine it runs on, and what it is allowed to dial, to a gateway. */
import { type Command, Option } from 'commander';
import { addCommand, type CommandDeps, type Format, print } from '../command.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import type { ExitName } from '../runtime/exit-codes.ts';
import { Failure } from '../runtime/failure.ts';
import { stopSignals } from '../runtime/stop-signals.ts';

type Texts = Partial<
  Record<'config' | 'gateway' | 'token' | 'joinMethod' | 'dataDir' | 'name' | 'ca' | 'caPin' | 'logFormat', string>
>;
type Options = Texts & { label?: string[]; labels?: string[]; endWhenAlone?: number; format: Format };

/** One agent on the gateway's own machine comes back as soon as that is there: it is no stampede. */
const BESIDE_ITS_GATEWAY = { baseMs: 200, capMs: 1_000 };

/** Its shells are killed after five seconds, and the gateway has two more to hear their last words. */
const STOP_WITHIN_MS = 15_000;
/** After everything has closed, what still keeps the process is a mistake of ours and nobody's to wait for. */
const LINGER_MS = 500;

export function addAgentCommand(program: Command, { io }: CommandDeps): void {
  addCommand(program, {
    name: 'agent',
    summary:
      'Run an agent near the resources. It dials out to the gateway; nothing dials in. The log goes to standard error.',
    examples: [
      'GATEHOUSE_AGENT_TOKEN=… gatehouse agent --gateway https://gate.example.com --labels env=prod,team=web',
      'gatehouse agent --gateway https://gate.example.com --data-dir /var/lib/gatehouse-agent   # has joined before',
      'gatehouse agent --gateway https://gate.example.com --join-method iam --token iam-…   # in AWS',
      'gatehouse agent --config /etc/gatehouse/agent.yaml',
    ],
  })
    .option('--gateway <url>', 'address of the gateway (GATEHOUSE_AGENT_GATEWAY)')
    .option('--token <token>', 'join token; prefer GATEHOUSE_AGENT_TOKEN, which other users cannot see')
    .addOption(
      new Option(
        '--join-method <method>',
        'how to join: token, or iam for a machine in AWS, which then gives the name of a token (GATEHOUSE_AGENT_JOIN_METHOD)',
      ).choices(['token', 'iam']),
    )
    .option('--data-dir <folder>', 'folder for the identity of this agent (GATEHOUSE_AGENT_DATA_DIR)')
    .option('--name <name>', 'name to join with (GATEHOUSE_AGENT_NAME; default: the host name)')
    .option('--labels <name=value,...>', 'labels of this machine (GATEHOUSE_AGENT_LABELS)', splitLabels)
    .option('--label <name=value...>', 'the same, one at a time')
    .option('--ca <file>', 'PEM of the authority that signed the certificate of the gateway (GATEHOUSE_AGENT_CA)')
    .option('--ca-pin <sha256>', 'fingerprint of that authority, or of the certificate (GATEHOUSE_AGENT_CA_PIN)')
    .addOption(
      new Option(
        '--log-format <format>',
        'how to write the log; pretty on a terminal, otherwise json (GATEHOUSE_AGENT_LOG_FORMAT)',
      ).choices(['json', 'pretty']),
    )
    .option(
      '--config <file>',
      'YAML with these and: apps, databases, databaseMatch, kubernetes, commands, allow, logins, shell (GATEHOUSE_AGENT_CONFIG)',
    )
    .addOption(new Option('--end-when-alone <time>').argParser(parseDurationSeconds).hideHelp())
    .action(async ({ format, label = [], labels = [], endWhenAlone, ...given }: Options) => {
      const [{ startAgent }, { readAgentConfig }, { createAgentLog }] = await Promise.all([
        import('@gatehouse/agent/main'),
        import('@gatehouse/agent/config/agent-config'),
        import('@gatehouse/agent/runtime/log'),
      ]);
      const typed = [...labels, ...label];
      const config = readAgentConfig({ ...given, ...(typed.length > 0 ? { labels: typed } : {}) }, io.env, io.cwd);
      // Nothing that is started from here, and no dump of the environment, needs to hold it.
      delete io.env.GATEHOUSE_AGENT_TOKEN;
      const usual = io.logsToTerminal && format !== 'json' ? 'pretty' : 'json';
      const log = createAgentLog({ format: config.logFormat ?? usual, write: io.stderr });
      const signals = stopSignals(process);
      const [{ lastResort }, { onContained }] = await Promise.all([
        import('@gatehouse/tunnel/last-resort'),
        import('@gatehouse/tunnel/contain'),
      ]);
      onContained(({ where, error }) => log.warn({ where, error: String(error) }, 'closed by our own mistake'));
      const resort = lastResort(process, (error) =>
        log.warn({ error: error.stack ?? error.message }, 'an error that nobody expected; stopping'),
      );
      const starting = startAgent(config, {
        log,
        env: io.env,
        ...(endWhenAlone === undefined ? {} : { aloneMs: endWhenAlone * 1000, backOff: BESIDE_ITS_GATEWAY }),
        onReady: ({ name, agentId, cluster, gateway }) =>
          print(
            io,
            format,
            { connected: true, name, agentId, cluster, gateway },
            `agent ${name} is connected to ${gateway}\n`,
          ),
      });
      // One that waits for its gateway to let it in must not have to be killed.
      const agent = await Promise.race([starting.catch(fail), signals.first, resort.failed.then(failUnexpected)]);
      if (typeof agent === 'string') {
        setTimeout(() => process.exit(), 100).unref();
        throw new Failure('failed', 'stopped before the agent had joined');
      }
      void signals.first.then((signal) => {
        // Whatever hangs by then would keep it for ever.
        setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
        return agent.stop(`the agent was stopped (${signal})`);
      });
      let fault: Error | undefined;
      void resort.failed.then((error) => {
        fault = error;
        return agent.stop('the agent met an error that nobody expected');
      });
      // Whoever asks twice does not want to wait for shells that do not end.
      void signals.second.then(() => process.exit(1));
      await agent.ended.catch(fail);
      signals.release();
      setTimeout(() => process.exit(), LINGER_MS).unref();
      if (fault) failUnexpected(fault);
    });
}

function splitLabels(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').filter(Boolean)];
}

/** What is left of it must not keep the process alive: whoever watches over it starts another. */
function failUnexpected(error: Error): never {
  setTimeout(() => process.exit(1), 100).unref();
  throw new Failure('failed', `the agent stopped because of an error that nobody expected: ${error.message}`);
}

/** Told by name: importing the class would load the agent for every command. */
function fail(error: unknown): never {
  if (!(error instanceof Error) || error.name !== 'AgentFailure' || !('kind' in error)) throw error;
  throw new Failure(String(error.kind) as ExitName, error.message);
}
