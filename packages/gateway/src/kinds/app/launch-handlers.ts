/** Answers the calls that name the host of an application, open a session with it, and send a browser there. */

import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import type { AccessControl } from '../../access/create-access.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Actor, Who } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { givePass, proveFactor } from '../../sessions/tcp/give-pass.ts';
import type { MfaPasses } from '../../sessions/tcp/mfa-passes.ts';
import type { ListedApp } from './app-directory.ts';
import type { AppSecrets } from './app-secrets.ts';
import type { ElsewhereApps } from './elsewhere/elsewhere-apps.ts';
import {
  findTcpApp,
  findWantedApp,
  launchUrl,
  type OpenAppDeps,
  type Opening,
  openAppSession,
  openForHandshake,
} from './open-app.ts';

export interface LaunchHandlerDeps extends OpenAppDeps {
  identity: Pick<Identity, 'proveAgain' | 'callerOf'>;
  access: AccessControl;
  passes: MfaPasses;
  secrets: Pick<AppSecrets, 'open'>;
  elsewhere: Pick<ElsewhereApps, 'wanted' | 'launch'>;
  /** Signs somebody in to the console of AWS under a role; gives the address to go to. */
  awsSignIn?: ((wanted: { app: ListedApp; actor: Who; arn: string; session: string }) => Promise<string>) | undefined;
}

type LaunchCalls = Pick<Handlers<typeof appRoutes>, 'fqdn' | 'fqdnOf' | 'session' | 'pass' | 'launch'>;

export function launchHandlers(deps: LaunchHandlerDeps): LaunchCalls {
  const opening = (actor: Actor, exchange: Exchange, call: string, factor?: FactorAnswer): Opening => ({
    caller: deps.identity.callerOf(actor),
    address: exchange.address,
    requestId: exchange.requestId,
    call,
    proveFactor: () => proveFactor(deps, actor, exchange, factor),
  });

  async function openAws(app: ListedApp, asked: Opening, arn: string): Promise<string> {
    if (!deps.awsSignIn) throw new AppError('not_available', 'this gateway is not set up to sign in to AWS');
    const hosted = await openAppSession(deps, app, { ...asked, awsRoleArn: arn });
    try {
      const spec = deps.secrets.open(app.resource.name, app);
      return await deps.awsSignIn({ app: { ...app, spec }, actor: asked.caller, arn, session: hosted.id });
    } finally {
      // What happens in the console of AWS passes the gateway by.
      hosted.finish({ cause: 'closed', message: 'the browser went on to the console of AWS' });
    }
  }

  return {
    async fqdn({ actor, params: { fqdn } }) {
      const app = await findWantedApp(deps, actor, { fqdn, cluster_name: '', public_addr: '' });
      return { fqdn: app.host };
    },
    async fqdnOf({ actor, cluster, params: { fqdn, publicAddr } }) {
      const app = await findWantedApp(deps, actor, { fqdn, cluster_name: cluster, public_addr: publicAddr });
      return { fqdn: app.host };
    },
    async session({ actor, body, exchange }) {
      const app = await findWantedApp(deps, actor, body);
      const secrets = await openForHandshake(deps, app, opening(actor, exchange, 'app session', body.factor));
      return { cookie_value: secrets.cookie, subject_cookie_value: secrets.subject, fqdn: app.host };
    },
    async pass({ actor, params, body, exchange }) {
      const app = await findTcpApp(deps, actor, params);
      return await givePass(deps, { actor, exchange }, { kind: 'app', name: app.resource.name }, body.factor);
    },
    async launch({ actor, body, exchange }) {
      const elsewhere = deps.elsewhere.wanted(body);
      if (elsewhere) {
        const { path, state, factor } = body;
        const launching = { path, state, factor, userAgent: exchange.userAgent };
        return await deps.elsewhere.launch(deps.identity.callerOf(actor), elsewhere, launching);
      }
      const app = await findWantedApp(deps, actor, body);
      const asked = opening(actor, exchange, 'app launch', body.factor);
      const url =
        app.type === 'aws' && body.arn !== ''
          ? await openAws(app, asked, body.arn)
          : await launchUrl(deps, app, asked, body);
      return { url, fqdn: app.host };
    },
  };
}
