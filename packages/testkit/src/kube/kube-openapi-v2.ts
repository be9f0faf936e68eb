/**
 * The OpenAPI document as protobuf, which is the only form kubectl before 1.27 reads: which types can be patched as a dry run. It describes
 * no fields, and kubectl then checks none.
 */
import { type KubeType, type KubeTypes, objectPath } from './kube-types.ts';
import { gitVersionOf } from './kube-version.ts';

/** Numbers of the fields, as the published description of the format has them. */
const DOCUMENT = { swagger: 1, info: 2, paths: 8, definitions: 9 };
const INFO = { title: 1, version: 2 };
const PATHS = { path: 2 };
const NAMED = { name: 1, value: 2 };
const PATH_ITEM = { patch: 8 };
const OPERATION = { operationId: 5, parameters: 8, vendorExtension: 13 };
const PARAMETERS_ITEM = { parameter: 1 };
const PARAMETER = { nonBody: 2 };
const NON_BODY = { query: 3 };
const QUERY = { in: 2, name: 4, type: 6 };
const ANY = { yaml: 2 };

const PARAMETERS = ['dryRun', 'fieldManager', 'force'];

export function documentV2(types: KubeTypes): Buffer {
  const paths = types.all().map((type) => message(PATHS.path, named(objectPath(type), patchable(type))));
  return Buffer.concat([
    field(DOCUMENT.swagger, '2.0'),
    message(DOCUMENT.info, [field(INFO.title, 'Kubernetes'), field(INFO.version, gitVersionOf(types.minor))]),
    message(DOCUMENT.paths, paths),
    message(DOCUMENT.definitions, []),
  ]);
}

function patchable({ group, version, kind }: KubeType): Buffer[] {
  const yaml = `group: "${group}"\nkind: ${kind}\nversion: ${version}\n`;
  return [
    message(PATH_ITEM.patch, [
      field(OPERATION.operationId, `patch${kind}`),
      ...PARAMETERS.map((name) =>
        message(OPERATION.parameters, [
          message(PARAMETERS_ITEM.parameter, [
            message(PARAMETER.nonBody, [
              message(NON_BODY.query, [field(QUERY.in, 'query'), field(QUERY.name, name), field(QUERY.type, 'string')]),
            ]),
          ]),
        ]),
      ),
      message(OPERATION.vendorExtension, named('x-kubernetes-group-version-kind', [field(ANY.yaml, yaml)])),
    ]),
  ];
}

function named(name: string, value: readonly Buffer[]): Buffer[] {
  return [field(NAMED.name, name), message(NAMED.value, value)];
}

function message(number: number, parts: readonly Buffer[]): Buffer {
  return bytes(number, Buffer.concat(parts));
}

function field(number: number, value: string): Buffer {
  return bytes(number, Buffer.from(value));
}

/** Wire type 2: a length and as many bytes. */
function bytes(number: number, value: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) out.push((left % 128) + 128);
  return Buffer.from([...out, left]);
}
