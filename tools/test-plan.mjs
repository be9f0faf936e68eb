/** What `npm test` runs and in which order. Plain JavaScript: `tools/test.mjs` reads it before anything is installed. */

/** They need nothing that is built, and run beside what builds it. */
export const QUICK_SUITES = ['unit', 'alone', 'dom'];

/** In this order out of one queue: what is in few long files comes first, and what is in many short ones evens out the end. */
export const SLOW_SUITES = ['screens', 'browser', 'integration', 'thorough-dom', 'thorough'];

/**
 * About how many seconds the longest files take beside others, and whichever has grown long belongs here: begun last, it would keep
 * one core waiting at the end. `npm test` ends with the slowest.
 * @type {Readonly<Record<string, number>>}
 */
export const LONG_FILES = {
  'e2e/pages.test.ts': 280,
  'e2e/connectors-screens.test.ts': 160,
  'e2e/access-screens.test.ts': 160,
  'e2e/identity-screens.test.ts': 130,
  'e2e/fresh-clone.test.ts': 170,
  'e2e/terminal.test.ts': 110,
  'e2e/servers.test.ts': 150,
  'e2e/workbench.test.ts': 75,
  'e2e/audit.test.ts': 130,
  'e2e/identity-keys.test.ts': 100,
  'e2e/access.test.ts': 65,
  'e2e/desktops.test.ts': 115,
  'e2e/watch.test.ts': 55,
  'e2e/kubernetes.test.ts': 50,
  'e2e/recordings.test.ts': 45,
  'e2e/live-sessions.test.ts': 40,
  'e2e/mongodb.test.ts': 40,
  'e2e/gateway-away.test.ts': 40,
  'packages/gateway/src/kinds/db/door-parity.integration.test.ts': 70,
  'packages/gateway/src/reach/agents/tunnels/thousand-agents.integration.test.ts': 60,
  'packages/gateway/src/reach/agents/tunnels/churn.integration.test.ts': 60,
  'packages/tunnel/src/tunnel.integration.test.ts': 60,
  'packages/cli/src/every-command.integration.test.ts': 125,
  'packages/gateway/src/compose/stop-gateway.integration.test.ts': 60,
  'packages/gateway/src/sessions/terminal/survival.integration.test.ts': 80,
  'packages/cli/src/backup-page.integration.test.ts': 50,
  'packages/gateway/src/kinds/db/workbench/editor.integration.test.ts': 50,
  'packages/gateway/src/platform/storage/postgres/postgres-storage.integration.test.ts': 50,
  'packages/gateway/src/platform/storage/postgres/silent-cut.integration.test.ts': 50,
  'packages/gateway/src/evidence/recordings/index/kill-indexer.integration.test.ts': 45,
  'packages/gateway/src/platform/audit/kill.integration.test.ts': 40,
  'packages/gateway/src/kinds/db/engine/postgres/engine.integration.test.ts': 40,
  'packages/cli/src/launcher.integration.test.ts': 40,
  'packages/cli/src/kinds/db/proxy-db.integration.test.ts': 40,
  'packages/gateway/src/identity/shared-store.integration.test.ts': 40,
  'packages/gateway/src/kinds/db/native-door.integration.test.ts': 40,
  'packages/gateway/src/sessions/terminal/programs.integration.test.ts': 35,
  'packages/gateway/src/reach/agents/install/install-database.integration.test.ts': 35,
  'tools/install-node.integration.test.ts': 35,
  'packages/gateway/src/platform/storage/sqlite/sqlite-crash.integration.test.ts': 35,
  'packages/gateway/src/kinds/db/workbench/redis/redis-editor.integration.test.ts': 35,
  'packages/cli/src/commands/proxy.integration.test.ts': 35,
  'packages/gateway/src/kinds/db/workbench/mysql/mysql-editor.integration.test.ts': 30,
  'packages/gateway/src/kinds/db/through-agents.integration.test.ts': 30,
  'packages/gateway/src/identity/federation/visits/visits.integration.test.ts': 70,
  'packages/gateway/src/kinds/desktop/compat/compat-desktop.integration.test.ts': 65,
  'packages/testkit/src/kube/kube-cluster.integration.test.ts': 55,
  'packages/gateway/src/doors/ssh/other-clients.integration.test.ts': 55,
  'packages/gateway/src/kinds/desktop/engine/rdp/open-rdp.integration.test.ts': 55,
  'packages/gateway/src/kinds/desktop/desktop-sessions.integration.test.ts': 50,
  'packages/gateway/src/identity/federation/news/news.integration.test.ts': 190,
  'packages/cli/src/kinds/kube/kubectl.integration.test.ts': 40,
  'packages/gateway/src/doors/ssh/ssh-door.integration.test.ts': 40,
  'packages/gateway/src/kinds/db/recorded-db.integration.test.ts': 40,
  'packages/agent/src/kinds/node/commands/commands.integration.test.ts': 40,
  'packages/gateway/src/evidence/recordings/upkeep/reconcile.integration.test.ts': 40,
  'packages/gateway/src/identity/connectors/providers/saml/saml-second-opinion.integration.test.ts': 40,
  'packages/gateway/src/doors/ssh/floods.integration.test.ts': 35,
  'packages/gateway/src/evidence/recordings/playback/postgres.integration.test.ts': 35,
  'packages/cli/src/completion/completion.integration.test.ts': 30,
  'packages/gateway/src/kinds/db/engine/mysql/engine.integration.test.ts': 30,
  'packages/gateway/src/kinds/desktop/engine/rdp/said-by-hosts.integration.test.ts': 30,
  'packages/cli/src/runtime/local-agent.integration.test.ts': 25,
  'packages/gateway/src/inventory/visible-resources.integration.test.ts': 25,
  'packages/cli/src/kinds/db/login-native.integration.test.ts': 25,
  'packages/cli/src/kinds/kube/login-kube.integration.test.ts': 25,
  'packages/gateway/src/doors/ssh/backward.integration.test.ts': 25,
  'packages/gateway/src/doors/ssh/hostile-clients.integration.test.ts': 25,
  'packages/gateway/src/kinds/kube/kubectl.integration.test.ts': 25,
  'packages/gateway/src/sessions/connection-tests/connection-tests.integration.test.ts': 25,
  'packages/gateway/src/sessions/terminal/ssh-terminal.integration.test.ts': 25,
  'packages/gateway/src/doors/ssh/agent-servers.integration.test.ts': 20,
  'packages/gateway/src/kinds/node/engine/agent-exec.integration.test.ts': 20,
  'packages/console/src/identity/connectors/connectors-screen.thorough.test.tsx': 30,
  'packages/gateway/src/sessions/lifecycle.thorough.test.ts': 110,
  'packages/tunnel/src/tunnel.thorough.test.ts': 60,
  'packages/gateway/src/sessions/screens/terminal-work.thorough.test.ts': 40,
  'packages/gateway/src/identity/connectors/providers/saml/thread/create-saml-answers.thorough.test.ts': 40,
  'packages/gateway/src/sessions/screens/serialize-screen.thorough.test.ts': 40,
  'packages/gateway/src/evidence/recordings/index/index-recording.thorough.test.ts': 40,
  'packages/gateway/src/evidence/recordings/playback/fuzz.thorough.test.ts': 35,
  'packages/gateway/src/evidence/backup/own-while-written.thorough.test.ts': 30,
  'packages/tunnel/src/connection.thorough.test.ts': 40,
  'packages/gateway/src/kinds/app/tcp-dial.thorough.test.ts': 40,
  'packages/agent/src/kinds/node/files/remove-tree.thorough.test.ts': 30,
};

/** Of a file that nobody has named: shorter than those that are. */
const OTHER_FILE_SECONDS = 5;

/**
 * Negative when the first of two files has to begin before the second.
 * @param {{suite: string, path: string}} a
 * @param {{suite: string, path: string}} b
 */
export function whichFirst(a, b) {
  const order = [...QUICK_SUITES, ...SLOW_SUITES];
  return order.indexOf(a.suite) - order.indexOf(b.suite) || secondsOf(b.path) - secondsOf(a.path);
}

/** @param {string} path */
function secondsOf(path) {
  return LONG_FILES[path] ?? OTHER_FILE_SECONDS;
}
