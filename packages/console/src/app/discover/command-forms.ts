/** The command as other tools want it. */

export const COMMAND_FORMS = ['shell', 'cloud-init', 'ansible'] as const;
export type CommandForm = (typeof COMMAND_FORMS)[number];

/** They are root already, and sudo may not be there. */
const asRoot = (command: string) => command.replace(/^sudo /, '');

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
};

export function commandAs(form: CommandForm, command: string): string {
  return FORMS[form](command);
}
