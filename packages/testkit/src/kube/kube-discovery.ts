/** What the small cluster tells of itself: version, groups, types, and as much of OpenAPI as kubectl asks before it applies. */
import type { JsonRecord } from './kube-object.ts';
import { documentV2 } from './kube-openapi-v2.ts';
import { apiVersionOf, type KubeType, type KubeTypes, objectPath } from './kube-types.ts';
import { gitVersionOf } from './kube-version.ts';

export interface DiscoveryAnswer {
  contentType: string;
  body: string | Buffer;
}

const JSON_TYPE = 'application/json';
const AGGREGATED = /application\/json;g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/;
const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** Nothing where there is nothing at this path. */
export function discover(types: KubeTypes, path: string, accept: string): DiscoveryAnswer | undefined {
  const json = (value: JsonRecord) => ({ contentType: JSON_TYPE, body: JSON.stringify(value) });
  const steps = path.split('/').filter((step) => step !== '');
  const isModern = types.minor >= 26;
  if (/^\/(livez|readyz|healthz)(\/|$)/.test(path)) return { contentType: 'text/plain; charset=utf-8', body: 'ok' };
  if (path === '/version') return json(versionOf(types.minor));
  const aggregated = AGGREGATED.exec(accept)?.[1];
  if (isModern && aggregated !== undefined && (path === '/api' || path === '/apis')) {
    return {
      contentType: `application/json;g=apidiscovery.k8s.io;v=${aggregated};as=APIGroupDiscoveryList`,
      body: JSON.stringify(aggregate(types, path === '/api', aggregated)),
    };
  }
  if (path === '/api') return json({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
  if (path === '/apis') return json({ kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(types).map(groupRow) });
  if (path === '/openapi/v2') {
    const isProtobuf = accept.includes(PROTOBUF_V2);
    return isProtobuf
      ? { contentType: 'application/octet-stream', body: documentV2(types) }
      : json({
          swagger: '2.0',
          info: { title: 'Kubernetes', version: gitVersionOf(types.minor) },
          paths: {},
          definitions: {},
        });
  }
  if (steps[0] === 'openapi' && steps[1] === 'v3' && isModern) return openApiV3(types, steps.slice(2), json);
  if (steps[0] === 'apis' && steps.length === 2) {
    const group = groupsOf(types).find(({ name }) => name === steps[1]);
    return group && json({ kind: 'APIGroup', apiVersion: 'v1', ...groupRow(group) });
  }
  const [group, version] = steps[0] === 'api' ? ['', steps[1]] : [steps[1], steps[2]];
  const rows = types.all().filter((type) => type.group === group && type.version === version);
  const isGroup = ['api', 'apis'].includes(steps[0] ?? '') && rows.length > 0;
  if (!isGroup || steps.length !== (group === '' ? 2 : 3)) return undefined;
  return json({
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(rows[0] as KubeType),
    resources: rows.flatMap(resourceRows),
  });
}

function versionOf(minor: number): JsonRecord {
  return {
    major: '1',
    minor: String(minor),
    gitVersion: gitVersionOf(minor),
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.23.0',
    compiler: 'gc',
    platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}

interface Group {
  name: string;
  versions: string[];
}

function groupsOf(types: KubeTypes): Group[] {
  const names = new Set(types.all().flatMap(({ group }) => (group === '' ? [] : [group])));
  return [...names].map((name) => ({
    name,
    versions: [...new Set(types.all().flatMap((type) => (type.group === name ? [type.version] : [])))],
  }));
}

function groupRow({ name, versions }: Group): JsonRecord {
  const rows = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: rows, preferredVersion: rows[0] };
}

function resourceRows(type: KubeType): JsonRecord[] {
  const { plural, singular, namespaced, kind, verbs, shortNames = [], categories = [], subresources = [] } = type;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: [...verbs],
      ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
      ...(categories.length === 0 ? {} : { categories: [...categories] }),
    },
    ...subresources.map((each) => ({
      name: `${plural}/${each.name}`,
      singularName: '',
      namespaced,
      ...(each.group === undefined ? {} : { group: each.group, version: each.version }),
      kind: each.kind,
      verbs: [...each.verbs],
    })),
  ];
}

function aggregate(types: KubeTypes, isCore: boolean, version: string): JsonRecord {
  const groups = isCore ? [{ name: '', versions: ['v1'] }] : groupsOf(types);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
      versions: versions.map((each) => ({
        version: each,
        freshness: 'Current',
        resources: types
          .all()
          .filter((type) => type.group === name && type.version === each)
          .map(aggregateRow),
      })),
    })),
  };
}

function aggregateRow(type: KubeType): JsonRecord {
  const { plural, singular, namespaced, verbs, shortNames = [], categories = [], subresources = [] } = type;
  const kindOf = (group: string, version: string, kind: string) => ({ group, version, kind });
  return {
    resource: plural,
    responseKind: kindOf(type.group, type.version, type.kind),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((each) => ({
            subresource: each.name,
            responseKind: kindOf(each.group ?? type.group, each.version ?? type.version, each.kind),
            verbs: [...each.verbs],
          })),
        }),
  };
}

/** Of each type that its objects can be patched with validation and as a dry run; of what they are made of nothing. */
function openApiV3(
  types: KubeTypes,
  steps: readonly string[],
  json: (value: JsonRecord) => DiscoveryAnswer,
): DiscoveryAnswer | undefined {
  const pathOf = (type: KubeType) => (type.group === '' ? `api/${type.version}` : `apis/${apiVersionOf(type)}`);
  const paths = [...new Set(types.all().map(pathOf))];
  if (steps.length === 0) {
    return json({
      paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=0` }])),
    });
  }
  const rows = types.all().filter((type) => pathOf(type) === steps.join('/'));
  if (rows.length === 0) return undefined;
  const query = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });
  return json({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: gitVersionOf(types.minor) },
    paths: Object.fromEntries(
      rows.map((type) => [
        objectPath(type),
        {
          patch: {
            operationId: `patch${type.kind}`,
            parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(query),
            responses: { '200': { description: 'OK' } },
            'x-kubernetes-action': 'patch',
            'x-kubernetes-group-version-kind': { group: type.group, version: type.version, kind: type.kind },
          },
        },
      ]),
    ),
    components: { schemas: {} },
  });
}
