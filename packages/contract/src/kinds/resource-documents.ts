/** Applications, databases, Kubernetes clusters and desktops as documents, for those that administrators enter. */
import { z } from 'zod';
import { resourceLabels } from '../std/resource-fields.ts';
import { appFields, appRewrite, headerRule } from './app/app-spec.ts';
import { newApp } from './app/apps.ts';
import { dbFields, dbName } from './db/db-spec.ts';
import { desktopName } from './desktop/desktop-spec.ts';
import { newDesktop } from './desktop/desktops.ts';
import { newKubeCluster } from './kube/kubernetes.ts';

const version = z.literal('v3');
const { description: appDescription, ...appRest } = appFields;
const { description: dbDescription, ...dbRest } = dbFields;
const throughAgents = z.array(z.string().min(1).max(253)).max(16).default([]);

/** One that keeps what is stored says no value. */
const headers = z
  .array(headerRule.extend({ value: headerRule.shape.value.default('') }))
  .max(64)
  .default([]);

export const appDocument = z.strictObject({
  kind: z.literal('app'),
  version,
  metadata: z.strictObject({
    name: newApp.shape.name,
    description: appDescription,
    labels: resourceLabels.default({}),
  }),
  spec: z.strictObject({ ...appRest, rewrite: appRewrite.extend({ headers }).prefault({}), through: throughAgents }),
});
export type AppDocument = z.output<typeof appDocument>;

export const dbDocument = z.strictObject({
  kind: z.literal('db'),
  version,
  metadata: z.strictObject({ name: dbName, description: dbDescription, labels: resourceLabels.default({}) }),
  spec: z.strictObject({ ...dbRest, through: throughAgents }),
});
export type DbDocument = z.output<typeof dbDocument>;

const { name: kubeName, labels: kubeLabels, ...kubeRest } = newKubeCluster.shape;
/** `spec.credential` is taken, sealed, and given back to nobody; left out, what is stored stays. */
export const kubeClusterDocument = z.strictObject({
  kind: z.literal('kube_cluster'),
  version,
  metadata: z.strictObject({ name: kubeName, labels: kubeLabels }),
  spec: z.strictObject(kubeRest),
});
export type KubeClusterDocument = z.output<typeof kubeClusterDocument>;

const { name: _desktopName, labels: desktopLabels, ...desktopRest } = newDesktop.shape;
/** A certificate that is left out stays what it is. */
export const desktopDocument = z.strictObject({
  kind: z.literal('windows_desktop'),
  version,
  metadata: z.strictObject({ name: desktopName, labels: desktopLabels }),
  spec: z.strictObject(desktopRest),
});
export type DesktopDocument = z.output<typeof desktopDocument>;
