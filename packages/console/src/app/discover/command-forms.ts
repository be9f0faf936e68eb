/** The command as other tools want it. */
import type { WordId } from '../../platform/i18n/words.ts';
import type { CommandForms } from '../../shared/enrolment/flow.ts';

export const COMMAND_FORMS = ['shell', 'cloud-init', 'ansible', 'docker', 'kubernetes'] as const;
export type CommandForm = (typeof COMMAND_FORMS)[number];

/** Of what is done to a machine itself. */
const ON_MACHINES: readonly CommandForm[] = ['shell', 'cloud-init', 'ansible'];

export function formsFor(forms: CommandForms): readonly CommandForm[] {
  if (forms === 'none') return [];
  return forms === 'everywhere' ? COMMAND_FORMS : ON_MACHINES;
}

/** What has to be known of a form, beside what the command does everywhere. */
export const FORM_NOTES: Partial<Record<CommandForm, WordId>> = {
  docker: 'discover.form-note-docker',
  kubernetes: 'discover.form-note-kubernetes',
};

/** Of everybody's, with curl and for glibc: no image of ours has to be published. */
const IMAGE = 'buildpack-deps:bookworm-curl';
const NAME = 'gatehouse-agent';
/** Where a volume lies: the agent, its file and its key outlive the container. */
const VOLUME = '/gatehouse';

/** They are root already, and sudo may not be there. */
const asRoot = (command: string) => command.replace(/^sudo /, '');

/** A word of a shell, whatever it holds. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * What a container runs each time it starts: installs where nothing is installed yet, and becomes the agent. A join token that is kept for a
 * machine which has joined would be of no use, and goes.
 */
function inContainer(command: string): string {
  const file = `${VOLUME}/etc/gatehouse-agent`;
  return [
    'set -e',
    `[ -e ${VOLUME}/opt/gatehouse-agent/current ] || ${asRoot(command)} install.sh --root ${VOLUME} --no-start`,
    `if [ -e ${VOLUME}/var/lib/gatehouse-agent/agent.json ]; then rm -f ${file}/join.env; else set -a; . ${file}/join.env; set +a; fi`,
    `exec ${VOLUME}/opt/gatehouse-agent/current/gatehouse-agent agent --config ${file}/agent.yaml`,
  ].join('; ');
}

/** Kubernetes puts variables of its own where this stands. */
const unexpanded = (text: string) => text.replaceAll('$(', () => '$$(');

/** In JSON, which is YAML too: nothing in it can mean anything else. */
function statefulSet(command: string): string {
  const volume = { name: 'agent', mountPath: VOLUME };
  return `kubectl apply -f - <<'END'
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ${NAME} }
spec:
  serviceName: ${NAME}
  selector: { matchLabels: { app: ${NAME} } }
  template:
    metadata: { labels: { app: ${NAME} } }
    spec:
      containers:
        - name: agent
          image: ${IMAGE}
          command: ${JSON.stringify(['sh', '-c', unexpanded(inContainer(command))])}
          volumeMounts: [${JSON.stringify(volume)}]
  volumeClaimTemplates:
    - metadata: { name: agent }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
END`;
}

/** A block of text in YAML takes any line as it is; a tool that fills templates must not find one in it. */
const FORMS: Readonly<Record<CommandForm, (command: string) => string>> = {
  shell: (command) => command,
  'cloud-init': (command) => `#cloud-config
runcmd:
  - |
    ${asRoot(command)}
`,
  ansible: (command) => `- hosts: all
  become: true
  tasks:
    - name: Join Gatehouse
      ansible.builtin.shell: !unsafe |
        ${asRoot(command)}
      args:
        creates: /etc/systemd/system/gatehouse-agent.service
`,
  docker: (command) =>
    `docker run -d --name ${NAME} --hostname "$(hostname)" --restart always -v ${NAME}:${VOLUME} ${IMAGE} sh -c ${quoted(inContainer(command))}`,
  kubernetes: statefulSet,
};

export function commandAs(form: CommandForm, command: string): string {
  return FORMS[form](command);
}
