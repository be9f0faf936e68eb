/** An application as programs on this machine reach it: its bytes where it speaks TCP, its pages otherwise. */
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import type { KindProxy, OwnGateway, Proxied } from '../../proxy/kind-proxy.ts';
import type { ListenAddress } from '../../proxy/listen-address.ts';
import { Failure } from '../../runtime/failure.ts';

export const appProxy: KindProxy = {
  summary:
    'Listen on this machine and carry every connection to an application, as yourself, until you stop it with Ctrl-C.',
  example: 'postgres',
  unlessTold: 'any free port of 127.0.0.1',
  find: findApp,
};

async function findApp(name: string, mine: OwnGateway): Promise<Proxied> {
  const { io, origin, userAgent, signal } = mine;
  const [{ call }, { APP_TCP_SOCKET, appRoutes }, { createSecondFactor }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/app/apps'),
    import('../../input/second-factor.ts'),
  ]);
  const { app } = await call(mine.send(), appRoutes.get, { params: { ...mine.at, name } });
  if (app.gatehouse?.type === 'aws') {
    throw new Failure('usage', `'${app.name}' is a console of AWS: launch it at ${origin}/web instead`);
  }
  const isTcp = app.gatehouse?.type === 'tcp';
  const isElsewhere = mine.at.clusterId !== CURRENT.clusterId;
  const factor = createSecondFactor({
    io,
    send: mine.send,
    what: app.name,
    needed: 'a role of yours asks for a second factor for each session',
    inBrowser: isTcp ? '' : `open it at ${origin}/web, or`,
    signal,
  });

  async function serveBytes(listen: ListenAddress, onFailure: (error: unknown) => void) {
    const [{ openTcpStream }, { serveTcp }] = await Promise.all([
      import('@gatehouse/tunnel/sessions/tcp-stream'),
      import('../../proxy/serve-tcp.ts'),
    ]);
    const params = { ...mine.at, name: app.name };
    const newPass = async () =>
      (await factor.with((given) => call(mine.send(), appRoutes.pass, { params, body: { factor: given } }))).pass;
    const open = (pass: string) =>
      openTcpStream({ origin, token: mine.credential(), door: APP_TCP_SOCKET, ...params, userAgent, pass });
    return serveTcp({ listen, newPass, open, onFailure });
  }

  async function servePages(listen: ListenAddress, onFailure: (error: unknown) => void) {
    const { serveHttpApp } = await import('./serve-http-app.ts');
    const body = { fqdn: app.fqdn, cluster_name: app.clusterId, public_addr: app.publicAddr };
    if (isElsewhere) return await serveElsewhere({ ...body, cluster_name: mine.at.clusterId }, listen, onFailure);
    const open = async () => {
      const opened = await factor.with((given) =>
        call(mine.send(), appRoutes.session, { body: { ...body, factor: given } }),
      );
      return { cookie: opened.cookie_value, subject: opened.subject_cookie_value };
    };
    const appOrigin = app.gatehouse?.origin ?? `https://${app.publicAddr}`;
    return serveHttpApp({ ...listen, origin, appOrigin, userAgent, open, onFailure });
  }

  /** At the host that the gateway has for it: who comes there is known by the gateway, what they may by the cluster that has it. */
  async function serveElsewhere(
    wanted: { fqdn: string; cluster_name: string; public_addr: string },
    listen: ListenAddress,
    onFailure: (error: unknown) => void,
  ) {
    const [{ serveHttpApp }, { createHash, randomBytes }] = await Promise.all([
      import('./serve-http-app.ts'),
      import('node:crypto'),
    ]);
    const launch = (more: object) => call(mine.send(), appRoutes.launch, { body: { ...wanted, ...more } });
    const open = async () => {
      const state = randomBytes(32).toString('hex');
      const hash = createHash('sha256').update(state).digest('hex');
      const { url } = await factor.with((given) => launch({ path: '/', state: hash, factor: given }));
      return { launch: url, state };
    };
    const { origin: appOrigin } = new URL((await launch({})).url);
    return serveHttpApp({ ...listen, origin, appOrigin, userAgent, open, onFailure });
  }

  return {
    name: app.name,
    serve: isTcp ? serveBytes : servePages,
    at: (address) => (isTcp ? address : `http://${address}`),
  };
}
