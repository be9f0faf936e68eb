/** Usage events of the console: validated, counted as metrics, sent nowhere. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

const PLAIN_EVENTS = [
  'tp.ui.banner.click',
  'tp.ui.onboard.addFirstResource.click',
  'tp.ui.onboard.addFirstResourceLater.click',
  'tp.ui.createNewRole.click',
  'tp.ui.createNewRoleSave.click',
  'tp.ui.createNewRoleCancel.click',
  'tp.ui.createNewRoleViewDocumentation.click',
] as const;

const DISCOVER_EVENTS = [
  'tp.ui.discover.started',
  'tp.ui.discover.resourceSelection',
  'tp.ui.discover.deployService',
  'tp.ui.discover.database.register',
  'tp.ui.discover.database.configure.mtls',
  'tp.ui.discover.database.configure.iampolicy',
  'tp.ui.discover.desktop.activeDirectory.tools.install',
  'tp.ui.discover.desktop.activeDirectory.configure',
  'tp.ui.discover.autoDiscoveredResources',
  'tp.ui.discover.principals.configure',
  'tp.ui.discover.testConnection',
  'tp.ui.discover.completed',
] as const;

const PRE_EVENTS = [
  'tp.ui.onboard.setCredential.submit',
  'tp.ui.onboard.registerChallenge.submit',
  'tp.ui.onboard.completeGoToDashboard.click',
  'tp.ui.recoveryCodesContinue.click',
  'tp.ui.recoveryCodesCopy.click',
  'tp.ui.recoveryCodesPrint.click',
] as const;

export const DISCOVER_STATUSES = [
  'DISCOVER_STATUS_SUCCESS',
  'DISCOVER_STATUS_SKIPPED',
  'DISCOVER_STATUS_ERROR',
  'DISCOVER_STATUS_ABORTED',
] as const;

const eventData = z.object({
  id: z.string().max(64),
  resource: z
    .string()
    .max(64)
    .regex(/^(DISCOVER_RESOURCE_[A-Z_]+)?$/),
  stepStatus: z.enum(DISCOVER_STATUSES),
  stepStatusError: z.string().max(1024).optional(),
  autoDiscoverResourcesCount: z.number().int().nonnegative().optional(),
});

export const captured = z.discriminatedUnion('event', [
  z.object({ event: z.enum(PLAIN_EVENTS), alert: z.string().max(256).optional(), eventData: z.unknown().optional() }),
  z.object({ event: z.enum(DISCOVER_EVENTS), alert: z.string().max(256).optional(), eventData }),
]);

type CapturedEvent = z.output<typeof captured>;
type DiscoverEvent = Extract<CapturedEvent, { event: (typeof DISCOVER_EVENTS)[number] }>;

export function isDiscoverEvent(captured: CapturedEvent): captured is DiscoverEvent {
  return DISCOVER_EVENTS.some((event) => event === captured.event);
}

/** As metrics call it: `testConnection`. */
export function discoverStep(event: DiscoverEvent['event']): string {
  return event.slice('tp.ui.discover.'.length);
}

/** As metrics call it: `success`. */
export function discoverStatus(status: (typeof DISCOVER_STATUSES)[number]): string {
  return status.slice('DISCOVER_STATUS_'.length).toLowerCase();
}

export const preCaptured = z.object({
  event: z.enum(PRE_EVENTS),
  username: z.string().min(1).max(256),
  mfaType: z.string().max(64).optional(),
  loginFlow: z.string().max(64).optional(),
});

export type Captured = z.input<typeof captured>;
export type PreCaptured = z.input<typeof preCaptured>;

export const captureRoutes = defineRoutes({
  capture: {
    method: 'POST',
    path: '/v1/webapi/capture',
    summary: 'Counts a usage event of a signed-in user.',
    auth: 'signed-in',
    body: captured,
    reply: undefined,
  },
  precapture: {
    method: 'POST',
    path: '/v1/webapi/precapture',
    summary: 'Counts a usage event before sign-in.',
    auth: 'public',
    limited: true,
    body: preCaptured,
    reply: undefined,
  },
});
