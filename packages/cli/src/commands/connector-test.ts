/** `gatehouse connectors test`: a sign-in that changes nothing, told step by step. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { addSecretFlag, type SecretOptions, withSecrets } from '../input/connector-secrets.ts';
import { openBrowser } from '../input/open-browser.ts';
import { readGiven } from '../input/read-files.ts';
import { tellConnectorTest } from '../output/connector-text.ts';
import { loopbackNote } from '../output/link-text.ts';
import { Failure } from '../runtime/failure.ts';
import { connectorCalls } from './connector-calls.ts';

const POLL_MS = 1_000;

interface TestOptions extends GatewayOptions, SecretOptions {
  file?: string;
  browser: boolean;
  asSomebodyElse?: boolean;
}

export function addConnectorTestCommand(group: Command, { io, configFlags }: CommandDeps): void {
  const command = addCommand(group, {
    name: 'test [name]',
    summary:
      'Try a connector, saved or not: sign in at the provider and see every claim, and which entry gives which role. Changes nothing.',
    examples: [
      'gatehouse connectors test okta',
      'gatehouse connectors test -f draft.yaml',
      'gatehouse connectors test okta --as-somebody-else',
    ],
  })
    .option('-f, --file <file>', 'a document instead of a saved connector, in YAML or JSON; - for standard input')
    .option('--no-browser', 'only print the address, open nothing')
    .option(
      '--as-somebody-else',
      'let the provider ask who it is, instead of taking whoever the browser is signed in as over there',
    );
  addSecretFlag(addGatewayFlags(command, configFlags)).action(
    async (name: string | undefined, options: TestOptions) => {
      const calls = await connectorCalls(io, options);
      const { kind, content } = await draft(calls, name, options);
      const { id, url } = await calls.beginTest(kind, content, { asksWho: options.asSomebodyElse === true });
      let test = await calls.readTest(id);
      // A provider that cannot be asked has failed already.
      if (test.state === 'waiting') {
        invite(url, options);
        test = await ended(calls, id);
      }
      print(io, options.format, test, tellConnectorTest(test));
      if (test.state === 'failed') throw new Failure('failed', whyOf(test.steps));
    },
  );

  /** Shown while waiting, so not part of the result. */
  function invite(url: string, { format, browser }: TestOptions): void {
    const words = `Open ${printable(url)}\nand sign in there as somebody whose roles you want to see\n${loopbackNote(url)}`;
    io.stderr(format === 'json' ? `${JSON.stringify({ url })}\n` : words);
    if (browser && io.onTerminal) openBrowser(url);
  }

  async function draft(calls: Calls, name: string | undefined, { file, ...options }: TestOptions) {
    if ((name === undefined) === (file === undefined))
      throw new Failure('usage', 'name a connector, or a document with -f');
    if (name !== undefined) {
      const { kind, content } = await calls.find(name);
      return { kind, content: await withSecrets(io, { text: content, kind, isNew: false }, options) };
    }
    const { kindIn, nameIn } = await import('../input/connector-text.ts');
    const text = await readGiven(io, file ?? '');
    const kind = kindIn(text);
    const isNew = !(await calls.list()).some((each) => each.name === nameIn(text) && each.kind === kind);
    return { kind, content: await withSecrets(io, { text, kind, isNew }, options) };
  }
}

type Calls = Awaited<ReturnType<typeof connectorCalls>>;

/** The gateway says when it is too late; the clocks of the two machines may differ. */
async function ended(calls: Calls, id: string): Promise<ConnectorTest> {
  for (;;) {
    await sleep(POLL_MS);
    const test = await calls.readTest(id).catch(tooLate);
    if (test.state !== 'waiting') return test;
  }
}

function whyOf(steps: readonly { status: string; message: string }[]): string {
  return steps.find(({ status }) => status === 'failed')?.message ?? 'the test failed';
}

function tooLate(error: unknown): never {
  const expired = error instanceof Error && 'code' in error && error.code === 'not_found';
  throw expired ? new Failure('failed', 'nobody signed in at the provider in time: try again') : error;
}
