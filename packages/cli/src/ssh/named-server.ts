/** Which server is meant, and who one becomes there: `root@web-1`, or `web-1` where one has only one login. */
import { printable } from '@gatehouse/contract/std/printable';
import type { OwnGateway } from '../proxy/kind-proxy.ts';
import { Failure } from '../runtime/failure.ts';

export interface NamedServer {
  /** By its id: another could get its name meanwhile. */
  id: string;
  name: string;
  login: string;
}

/** Without a login, the only one that there is. */
export async function findServer(
  { send, at }: OwnGateway,
  server: string,
  login: string | undefined,
): Promise<NamedServer> {
  const [{ call }, { nodeRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/node/nodes'),
  ]);
  const { id, hostname: name, sshLogins } = await call(send(), nodeRoutes.get, { params: { ...at, id: server } });
  return { id, name, login: login ?? onlyLogin(name, sshLogins) };
}

function onlyLogin(name: string, logins: readonly string[]): string {
  const [first, ...others] = logins;
  if (first !== undefined && others.length === 0) return first;
  const server = printable(name);
  if (first === undefined) throw new Failure('denied', `no role lets you sign in to '${server}'`);
  throw new Failure(
    'usage',
    `say as whom: gatehouse ssh LOGIN@${server}. You may be: ${logins.map(printable).join(', ')}`,
  );
}
