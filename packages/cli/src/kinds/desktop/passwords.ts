/** `gatehouse desktops password, passwords`: what desktops are signed in to with. Nobody reads one again. */
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { type CommandFacts, type Io, print } from '../../command.ts';
import { CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { labelList } from '../../input/label-list.ts';
import { readGiven } from '../../input/read-files.ts';
import { nameList } from '../../input/trait-flags.ts';
import { Failure } from '../../runtime/failure.ts';
import { tellWidePasswords } from './desktop-text.ts';

interface PasswordOptions extends GatewayOptions {
  login?: string;
  labels?: Record<string, string>;
  through?: string[];
  passwordFile?: string;
  remove?: boolean;
}

type Connect = (options: GatewayOptions) => Promise<{
  call: typeof import('@gatehouse/contract/wire/client').call;
  desktopRoutes: typeof import('@gatehouse/contract/kinds/desktop/desktops').desktopRoutes;
  send: Parameters<typeof import('@gatehouse/contract/wire/client').call>[0];
}>;

export function addPasswordCommands(command: (facts: CommandFacts) => Command, io: Io, connect: Connect): void {
  command({
    name: 'password [name] [login]',
    summary:
      'Store the password of a login on a desktop, or on all with some labels, or forget it. It is asked for at the terminal, stored sealed, and told to nobody.',
    examples: [
      'gatehouse desktops password win-1 Administrator',
      'gatehouse desktops password win-1 Administrator --remove',
      'gatehouse desktops password --login CORP\\\\svc --labels env=prod --password-file svc.txt',
    ],
  })
    .option('--login <login>', 'the account, where labels say which desktops')
    .addOption(
      new Option('--label, --labels <pairs>', 'all desktops with these labels, like env=prod').argParser(labelList),
    )
    .addOption(
      new Option('--through <agents>', 'with labels: also desktops that these agents offer, by name or id').argParser(
        nameList,
      ),
    )
    .option('--password-file <file>', 'a file with the password; - for standard input')
    .option('--remove', 'forget it')
    .action(async (name: string | undefined, named: string | undefined, options: PasswordOptions) => {
      const login = named ?? options.login;
      if (login === undefined) throw new Failure('usage', 'name the account: gatehouse desktops password NAME LOGIN');
      if ((name === undefined) === (options.labels === undefined))
        throw new Failure('usage', 'name one desktop, or the labels of several with --labels');
      if (name === undefined) return await changeWide(login, options);
      if (options.through) throw new Failure('usage', '--through is for desktops by their labels');
      const params = { ...CURRENT, name, login };
      const shown = `the password of '${printable(login)}' on '${printable(name)}'`;
      if (options.remove) {
        const { call, desktopRoutes, send } = await connect(options);
        const done = await call(send, desktopRoutes.removePassword, { params });
        return print(io, options.format, done, `${shown} is forgotten\n`);
      }
      const password = await passwordFor(login, options);
      const { call, desktopRoutes, send } = await connect(options);
      const done = await call(send, desktopRoutes.setPassword, { params, body: { password } });
      print(io, options.format, done, `${shown} is stored\n`);
    });

  command({
    name: 'passwords',
    summary: 'List the logins whose passwords are stored for all desktops with some labels.',
    examples: ['gatehouse desktops passwords'],
  }).action(async (options: GatewayOptions) => {
    const { call, desktopRoutes, send } = await connect(options);
    const { items } = await call(send, desktopRoutes.widePasswords, { params: CURRENT });
    print(io, options.format, items, tellWidePasswords(items));
  });

  async function changeWide(login: string, options: PasswordOptions): Promise<void> {
    const { labels = {}, through = [], remove, format } = options;
    if (!remove) {
      const password = await passwordFor(login, options);
      const { call, desktopRoutes, send } = await connect(options);
      const body = { login, labels, agents: through, password };
      const done = await call(send, desktopRoutes.setWidePassword, { params: CURRENT, body });
      return print(
        io,
        format,
        done,
        `the password of '${printable(login)}' is stored for desktops with these labels\n`,
      );
    }
    const { call, desktopRoutes, send } = await connect(options);
    const { items } = await call(send, desktopRoutes.widePasswords, { params: CURRENT });
    const meant = items.filter(
      (each) => each.login.toLowerCase() === login.toLowerCase() && isSame(each.labels, labels),
    );
    if (meant.length === 0)
      throw new Failure('notFound', `no password of '${printable(login)}' is stored for exactly these labels`);
    for (const { id } of meant) await call(send, desktopRoutes.removeWidePassword, { params: { ...CURRENT, id } });
    print(io, format, { removed: meant.length }, `the password of '${printable(login)}' is forgotten\n`);
  }

  async function passwordFor(login: string, { passwordFile }: PasswordOptions): Promise<string> {
    const given =
      passwordFile === undefined
        ? await io.askSecret?.(`Password of '${printable(login)}' (not shown): `)
        : (await readGiven(io, passwordFile)).replace(/\r?\n$/, '');
    if (given) return given;
    if (passwordFile !== undefined) throw new Failure('usage', `the file '${passwordFile}' is empty`);
    throw new Failure('usage', 'the password is missing: name a file that holds it with --password-file');
  }
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
