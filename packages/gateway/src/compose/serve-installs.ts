/** Serves all that sets agents up: scripts for machines, what is applied to clusters, and what gets Windows ready. */
import type { FastifyInstance } from 'fastify';
import { serveDesktopScripts } from '../kinds/desktop/desktop-scripts.ts';
import { serveAgentManifest } from '../kinds/kube/agent-manifest.ts';
import { type ScriptDeps, serveScripts } from '../reach/agents/install/serve-scripts.ts';

export function serveInstalls(app: FastifyInstance, deps: ScriptDeps): void {
  serveScripts(app, deps);
  serveAgentManifest(app, deps);
  serveDesktopScripts(app, deps);
}
