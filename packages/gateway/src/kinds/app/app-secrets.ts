/** Secret values of applications: sealed beside them in the store, left out of all that is listed or told, and put back where a request is written. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  type AppSpec,
  appSpec,
  isSecretHeader,
  type OfferedAppSpec,
  offeredAppSpec,
  parseAppUri,
} from '@gatehouse/contract/kinds/app/app-spec';
import { z } from 'zod';
import type { NewResource } from '../../inventory/resource-store.ts';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import { readOrMakeSecret } from '../../platform/secrets/secret-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import { Secret } from '../../platform/std/secret.ts';
import type { Db } from '../../platform/storage/tables.ts';

/** An application as it is stored: its spec without secrets, and those sealed. */
export interface SealedApp {
  spec: AppSpec;
  sealed: string | undefined;
}

export interface AppSecrets {
  /** Takes the secrets out of a spec. `before`: what is stored, for those that are to be kept; throws where nothing can be. */
  seal(name: string, given: AppSpec | OfferedAppSpec, before?: SealedApp): SealedApp;
  /** The spec with its secrets, for what is sent to the application itself. */
  open(name: string, app: SealedApp): AppSpec;
}

const contents = z.object({
  /** Where they are sent to: another address has no claim to them, however it came into the row. */
  target: z.string(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  externalId: z.string(),
});
type Contents = z.output<typeof contents>;

const NOTHING: Contents = { target: '', headers: [], externalId: '' };

export async function openAppSecrets(db: Db, box: SecretBox, now: number): Promise<AppSecrets> {
  const make = () => new Secret(randomBytes(32).toString('base64url'));
  const markKey = await readOrMakeSecret(db, box, { name: 'app-secret-mark', make, now });
  /** Says that secrets are others than before, to who must not know them. */
  const markOf = (held: Contents) =>
    createHmac('sha256', markKey.reveal()).update(canonicalJson(held)).digest('base64url').slice(0, 22);

  const read = (name: string, { sealed }: SealedApp): Contents =>
    sealed === undefined ? NOTHING : contents.parse(JSON.parse(box.openText(placeOf(name), sealed)));

  return {
    seal(name, given, before) {
      const spec = appSpec.parse(given);
      const target = targetOf(spec);
      const held = before ? read(name, before) : NOTHING;
      const kept = keeper(held, target);
      const headers = spec.rewrite.headers.map((rule) =>
        rule.kept ? { name: rule.name, value: kept.header(rule.name) } : rule,
      );
      const externalId = spec.aws.kept ? kept.externalId() : spec.aws.externalId;
      const secret = { target, headers: headers.filter(isSecretHeader), externalId };
      const isEmpty = secret.headers.length === 0 && externalId === '';
      return {
        spec: {
          ...spec,
          rewrite: {
            ...spec.rewrite,
            headers: headers.map((rule) => (isSecretHeader(rule) ? { name: rule.name, value: '', kept: true } : rule)),
          },
          aws: externalId === '' ? { externalId: '' } : { externalId: '', kept: true },
          mark: isEmpty ? '' : markOf(secret),
        },
        sealed: isEmpty ? undefined : box.seal(placeOf(name), JSON.stringify(secret)),
      };
    },

    open(name, app) {
      const { spec } = app;
      const held = read(name, app);
      const values = held.target === targetOf(spec) ? held : NOTHING;
      const left = [...values.headers];
      const take = (header: string) => {
        const index = left.findIndex((each) => each.name === header);
        return index < 0 ? undefined : left.splice(index, 1)[0]?.value;
      };
      const headers = spec.rewrite.headers.flatMap(({ name: header, value, kept }) => {
        const known = kept ? take(header) : value;
        // Without its secret a header is left out: an empty one would say something else.
        return known === undefined ? [] : [{ name: header, value: known }];
      });
      return {
        ...spec,
        rewrite: { ...spec.rewrite, headers },
        aws: { externalId: spec.aws.kept ? values.externalId : spec.aws.externalId },
      };
    },
  };
}

/** Gives what was stored, each once, and only for where it was given for. */
function keeper(held: Contents, target: string) {
  const left = [...held.headers];
  const refuse = (what: string): never => {
    throw new AppError(
      'bad_request',
      held.target !== '' && held.target !== target
        ? `${what} was given for another address or another way there: give it again`
        : `${what} is not stored: there is nothing to keep`,
    );
  };
  return {
    header(name: string): string {
      const index = left.findIndex((each) => each.name === name);
      const found = held.target === target && index >= 0 ? left.splice(index, 1)[0] : undefined;
      return found ? found.value : refuse(`the value of the header '${name}'`);
    },
    externalId: (): string =>
      held.target === target && held.externalId !== '' ? held.externalId : refuse('the external id'),
  };
}

/** Whatever decides who hears what is sent: whoever could change one of these alone could have the secrets sent to themselves. */
export function targetOf({ uri, through, insecureSkipVerify, ca, serverName }: AppSpec): string {
  const { scheme, host, port, kube } = parseAppUri(uri) ?? { scheme: '', host: uri, port: 0 };
  // What is called the same in another cluster is another.
  return canonicalJson([scheme, kube ? uri : host, port, [...through].sort(), insecureSkipVerify, ca, serverName]);
}

function placeOf(name: string): SealedContext {
  return { table: 'resource', id: name, column: 'sealed' };
}

/** What an agent offers holds its secrets in clear on the way here, and no further. */
export function sealOffer(secrets: Pick<AppSecrets, 'seal'>, offered: NewResource): NewResource {
  const { rewrite, aws, ...given } = offeredAppSpec.parse(offered.spec);
  const { spec, sealed } = secrets.seal(offered.name, {
    ...given,
    // An agent says all of it each time: there is nothing it could mean by keeping.
    rewrite: { ...rewrite, headers: rewrite.headers.filter(({ kept }) => !kept) },
    aws: { externalId: aws.externalId },
  });
  return { ...offered, spec, sealed };
}
