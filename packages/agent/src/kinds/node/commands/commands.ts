/** The commands this agent runs for gateways, each as long as the stream it was asked for on. */
import { type ExecStart, MAX_COMMAND_BYTES } from '@gatehouse/contract/reach/agents/exec-frames';
import { execRequest } from '@gatehouse/contract/reach/agents/targets';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { readMetadata } from '../../../reach/metadata.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';
import type { AgentLog } from '../../../runtime/log.ts';
import type { KeySockets } from '../keys/key-sockets.ts';
import { checkLogin, type LoginRules } from '../login/check-login.ts';
import { type LoginMethod, launchCommand } from '../login/start-as.ts';
import { Command } from './command.ts';
import { type CommandProcess, startCommandProcess } from './command-process.ts';
import { createPipeStock } from './open-pipes.ts';

const MAX_COMMANDS = 512;

export interface CommandsDeps {
  rules: LoginRules;
  way: LoginMethod | undefined;
  closer: WithoutDescriptors | undefined;
  language: string;
  keys: Pick<KeySockets, 'socketOf'>;
  log: AgentLog;
}

export interface Commands {
  /** Throws LoginRefused or StreamRefused. */
  serve(offered: OfferedStream, metadata: StreamMetadata): Promise<void>;
  readonly size: number;
  /** Hangs up on all of them; resolves when nothing of them runs any more. */
  endAll(reason: string): Promise<void>;
}

export function createCommands({ rules, way, closer, language, keys, log }: CommandsDeps): Commands {
  const running = new Set<Command>();
  const pipes = createPipeStock();
  let coming = 0;

  async function serve(offered: OfferedStream, metadata: StreamMetadata): Promise<void> {
    const { login, session, user } = readMetadata(execRequest, metadata);
    const person = await checkLogin(login, rules);
    const isWatched = way?.kind === 'runuser';

    const begin = async ({ command, env }: ExecStart): Promise<CommandProcess> => {
      if (command !== undefined && Buffer.byteLength(command) > MAX_COMMAND_BYTES)
        throw new Error(`the command is longer than ${MAX_COMMAND_BYTES} bytes, which no system takes`);
      const socket = keys.socketOf(session, login);
      const given = socket === undefined ? env : { ...env, SSH_AUTH_SOCK: socket };
      const launch = launchCommand(way, closer, { person, session, language, env: given, command });
      const started = await startCommandProcess({ launch, person, isWatched, pipes });
      log.info({ sessionId: session, username: user, login, pid: started.pid }, 'command started');
      return started;
    };
    const command: Command = new Command({
      stream: offered.accept(),
      begin,
      isWatched,
      onGone: () => running.delete(command),
      log,
    });
    running.add(command);
  }

  return {
    get size() {
      return running.size;
    },
    async serve(offered, metadata) {
      if (running.size + coming >= MAX_COMMANDS)
        throw new StreamRefused('busy', `this agent runs ${MAX_COMMANDS} commands; it takes no more`);
      coming += 1;
      try {
        await serve(offered, metadata);
      } finally {
        coming -= 1;
      }
    },
    async endAll(reason) {
      pipes.close();
      await Promise.all([...running].map((command) => command.end(reason)));
    },
  };
}
