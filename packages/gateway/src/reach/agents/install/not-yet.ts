/** What agents cannot offer yet, though tokens for it can be made. */
export const NOT_YET = {
  Db: 'databases are not there yet: no agent can offer one, and there is nothing to install for them',
  Kube: 'Kubernetes clusters are not there yet: no agent can offer one, and there is nothing to install for them',
  WindowsDesktop: 'desktops are not there yet: no agent can offer one, and there is nothing to install for them',
} as const;
