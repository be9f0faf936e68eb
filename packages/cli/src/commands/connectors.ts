/** `gatehouse connectors`: sign-in providers, as documents. */

import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Io, print } from '../command.ts';
import { addGatewayFlags, type GatewayOptions, type WhichGateway } from '../gateway/resolve-gateway.ts';
import { addSecretFlag, GIVE_FILE, type SecretOptions, withSecrets } from '../input/connector-secrets.ts';
import { editText } from '../input/edit-text.ts';
import { readGiven } from '../input/read-files.ts';
import { tellConnectors, tellEntries, usersText } from '../output/connector-text.ts';
import { notesText } from '../output/notes-text.ts';
import { Failure } from '../runtime/failure.ts';
import { connectorCalls } from './connector-calls.ts';
import { addConnectorTestCommand } from './connector-test.ts';

export function addConnectorCommands(program: Command, parts: CommandDeps): void {
  const { io, configFlags } = parts;
  const group = addGroup(program, {
    name: 'connectors',
    summary: 'List, read, make, change, delete and try sign-in providers: GitHub, OIDC and SAML.',
    examples: ['gatehouse connectors create -f okta.yaml', 'gatehouse connectors test okta'],
  });
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  add({ name: 'ls', summary: 'List the connectors.', examples: ['gatehouse connectors ls'] }).action(
    async (options: GatewayOptions) => {
      const connectors = await (await connectorCalls(io, options)).list();
      print(io, options.format, connectors, tellConnectors(connectors));
    },
  );

  add({
    name: 'get <name>',
    summary: 'Print the document of a connector as it was written. Its secrets are never told.',
    examples: ['gatehouse connectors show okta', 'gatehouse connectors get okta > okta.yaml'],
    // The document is YAML, or what its author wrote instead.
    formats: ['yaml', 'json'],
  })
    .alias('show')
    .action(async (name: string, options: WhichGateway & { format: 'yaml' | 'json' }) => {
      const connector = await (await connectorCalls(io, options)).find(name);
      print(io, options.format === 'json' ? 'json' : 'text', connector, withNewline(connector.content));
    });

  const create = add({
    name: 'create',
    summary: 'Make a connector from a document. A secret that it leaves out is read from a file, or asked for.',
    examples: [
      'gatehouse connectors create -f github.yaml',
      'gatehouse connectors create -f okta.yaml --secret-file okta.secret',
      'cat okta.yaml | gatehouse connectors create -f -',
    ],
  }).requiredOption('-f, --file <file>', 'the document, in YAML or JSON; - for standard input');
  addSecretFlag(create).action(async ({ file, ...options }: GatewayOptions & SecretOptions & { file: string }) => {
    const { kindIn } = await import('../input/connector-text.ts');
    const calls = await connectorCalls(io, options);
    const text = await readGiven(io, file);
    const kind = kindIn(text);
    const made = await calls.create(kind, await withSecrets(io, { text, kind, isNew: true }, options));
    // Whoever may make connectors may not always try them: it is made all the same.
    const { enter } = await calls.check(kind, made.content).catch(() => ({ enter: [] }));
    const name = printable(made.name);
    const words = `connector '${name}' made\n${notesText(made.notes)}${tellEntries(kind, enter)}Try it: gatehouse connectors test ${name}\n`;
    print(io, options.format, { ...made, enter }, words);
  });

  const edit = add({
    name: 'edit <name>',
    summary:
      'Change a connector in your editor (VISUAL or EDITOR). Its secret stays. If somebody else changed it meanwhile, nothing is lost.',
    examples: [
      'gatehouse connectors edit okta',
      'gatehouse connectors edit okta --secret-file new.secret',
      'EDITOR="code --wait" gatehouse connectors edit okta',
    ],
  });
  addSecretFlag(edit).action(async (name: string, options: GatewayOptions & SecretOptions) => {
    const { isOtherClient } = await import('../input/connector-text.ts');
    const calls = await connectorCalls(io, options);
    const connector = await calls.find(name);
    const { kind } = connector;
    // A new secret is a change, though the document, which does not hold it, stays as it is.
    const always = options.secretFile !== undefined;
    const saved = await editText(io, { name, text: connector.content, always }, async (edited) => {
      // That one had none says nothing of another.
      const isNew = connector.hasSecret === false && isOtherClient(connector.content, edited, kind);
      const text = await withSecrets(io, { text: edited, kind, isNew }, options);
      return calls.update(connector, text).catch(async (error: unknown) => {
        if (!isAboutSecret(error)) throw error;
        // The provider is another one: what was entered for the one before is not sent to it.
        if (!io.askSecret) throw new Failure('usage', `${error.message}: ${GIVE_FILE}`);
        io.stderr(`${printable(error.message)}\n`);
        return calls.update(connector, await withSecrets(io, { text, kind, isNew: true }, {}));
      });
    });
    if (saved) print(io, options.format, saved, `connector '${printable(name)}' changed\n${notesText(saved.notes)}`);
    else print(io, options.format, { name, changed: false }, 'nothing changed\n');
  });

  add({
    name: 'rm <name>',
    summary: 'Delete a connector, and end what is signed in through it.',
    examples: ['gatehouse connectors rm okta', 'gatehouse connectors rm okta --yes'],
  })
    .option('-y, --yes', 'without asking')
    .action(async (name: string, { yes = false, ...options }: GatewayOptions & { yes?: boolean }) => {
      const calls = await connectorCalls(io, options);
      const connector = await calls.find(name);
      if (!yes) await confirmEnd(io, connector);
      const done = await calls.remove(connector);
      const words = `connector '${printable(name)}' deleted; ${usersText(connector)} signed out and cannot sign in through it any more\n`;
      print(io, options.format, done, words);
    });

  addConnectorTestCommand(group, parts);
}

function isAboutSecret(error: unknown): error is Error {
  if (!(error instanceof Error) || !('fields' in error)) return false;
  const { field } = error.fields as { field?: unknown };
  return field === 'spec.client_secret';
}

async function confirmEnd(io: Io, connector: ConnectorItem): Promise<void> {
  const name = printable(connector.name);
  const ends = `${usersText(connector)} signed out, their sessions end, and they cannot sign in through it any more`;
  if (!io.ask) throw new Failure('usage', `to delete connector '${name}', say --yes: ${ends}`);
  const typed = await io.ask(`Delete connector '${name}'? ${ends}. [y/N] `, new AbortController().signal);
  if (!/^y(es)?$/i.test(typed.trim())) throw new Failure('failed', 'nothing was deleted');
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
