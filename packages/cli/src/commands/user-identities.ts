/** `gatehouse users link|unlink`: who a user is to a sign-in provider. */

import type { IdentityItem } from '@gatehouse/contract/identity/connectors/identities';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, print } from '../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { withFreshProof } from '../input/fresh-proof.ts';

interface LinkOptions extends GatewayOptions {
  connector: string;
}

export function addUserIdentityCommands(group: Command, { io, configFlags }: CommandDeps): void {
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  add({
    name: 'link <name>',
    summary: 'Let whoever a sign-in provider knows by a subject sign in as a user, with the roles of that connector.',
    examples: ['gatehouse users link ann --connector okta --subject 00u7k2'],
  })
    .requiredOption('--connector <name>', 'the connector')
    .requiredOption(
      '--subject <subject>',
      'who they are there: the sub of OIDC, the numeric id of GitHub, the NameID of SAML',
    )
    .action(async (name: string, { connector, subject, ...options }: LinkOptions & { subject: string }) => {
      const { call, identityRoutes, send } = await connect(options);
      const given = { params: { username: name }, body: { connector, subject } };
      const linked = await withFreshProof(io, send, () => call(send, identityRoutes.link, given));
      const words = `'${printable(subject)}' of connector '${printable(connector)}' signs in as '${printable(name)}' from now on, with the roles and traits that the connector then gives in place of theirs; with the first sign-in, password, devices, tokens, sign-ins and links to other connectors from before end\n`;
      print(io, options.format, linked, words);
    });

  add({
    name: 'unlink <name>',
    summary: 'Undo the link of a user to a sign-in provider, and end what was signed in through it.',
    examples: ['gatehouse users unlink ann --connector okta'],
  })
    .requiredOption('--connector <name>', 'the connector')
    .action(async (name: string, { connector, ...options }: LinkOptions) => {
      const { call, identityRoutes, send } = await connect(options);
      const given = { params: { username: name, connector } };
      const done = await withFreshProof(io, send, () => call(send, identityRoutes.unlink, given));
      const words = `'${printable(name)}' cannot sign in through connector '${printable(connector)}' any more\n`;
      print(io, options.format, done, words);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { identityRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/identity/connectors/identities'),
      anyGateway(io, options),
    ]);
    return { call, identityRoutes, send };
  }
}

/** Comments of YAML: a document that is read again has nothing of it. */
export function identityComments(identities: readonly IdentityItem[]): string {
  return identities.map((identity) => `# ${printable(identityText(identity))}\n`).join('');
}

function identityText({
  kind,
  connector,
  subject,
  name,
  confirmed,
  nextRecheck,
  trouble,
  isDoubted,
}: IdentityItem): string {
  return [
    `signs in through connector ${connector} (${kind}) as ${name || subject}, subject ${subject}`,
    ...(confirmed ? [`confirmed ${confirmed}`] : []),
    ...(nextRecheck ? [`next asked ${nextRecheck}`] : []),
    ...(isDoubted
      ? [
          'in doubt since the account got new credentials, and signs nobody in: let them link it again under Account, or link it by its subject',
        ]
      : []),
    ...(trouble ? [trouble] : []),
  ].join('; ');
}
