/** Flags of `access explain` that name an object inside a Kubernetes cluster. */
import { KUBE_VERBS, type KubeObject, type KubeVerb } from '@gatehouse/contract/access/roles/kube-objects';
import { type Command, InvalidArgumentError, Option } from 'commander';

type Named = Pick<KubeObject, 'apiGroup' | 'resource' | 'name'>;

export interface ObjectOptions {
  object?: Named;
  namespace?: string;
  verb?: KubeVerb;
}

export function addObjectFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--object <kind/name>',
        'object of a Kubernetes cluster, like pods/web or deployments.apps/api',
      ).argParser(readObject),
    )
    .option('--namespace <name>', 'where the object is, together with --object')
    .addOption(
      new Option('--verb <verb>', 'what is done to the object, together with --object; get unless told').choices(
        KUBE_VERBS,
      ),
    );
}

/** `deployments.apps/api`: the plural, its group behind a dot unless it is the one without a name, and the object. */
function readObject(text: string): Named {
  const [, resource, apiGroup = '', name] = /^([a-z0-9-]+)(?:\.([a-z0-9.-]+))?\/(.+)$/.exec(text) ?? [];
  if (resource === undefined || name === undefined)
    throw new InvalidArgumentError('write its kind in plural and its name, like pods/web or deployments.apps/api.');
  return { apiGroup, resource, name };
}

export function objectGiven({ object, namespace = '', verb = 'get' }: ObjectOptions): { object?: KubeObject } {
  return object ? { object: { ...object, namespace, verb } } : {};
}
