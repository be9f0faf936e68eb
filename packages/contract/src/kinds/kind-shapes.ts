/** The files of each kind whose shapes the OpenAPI document calls by the names they are exported under. */
import * as apps from './app/apps.ts';
import * as databases from './db/databases.ts';
import * as desktops from './desktop/desktops.ts';
import type { Kind } from './kinds.ts';
import * as kubePasses from './kube/kube-pass.ts';
import * as kubernetes from './kube/kubernetes.ts';
import * as files from './node/files/files.ts';
import * as nodeSpec from './node/node-spec.ts';
import * as nodes from './node/nodes.ts';

const KIND_SHAPES: { readonly [K in Kind]: readonly object[] } = {
  node: [files, nodeSpec, nodes],
  app: [apps],
  kube: [kubernetes, kubePasses],
  db: [databases],
  desktop: [desktops],
};

export const kindShapes: readonly object[] = Object.values(KIND_SHAPES).flat();
