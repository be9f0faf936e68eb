/** The roles every cluster begins with. They are ordinary documents from then on: an administrator may change or delete them. */

export const READY_MADE_ROLES: Readonly<Record<string, string>> = {
  access: `kind: role
version: v6
metadata:
  name: access
  description: Reach every resource, as the names the user record lists
spec:
  allow:
    # Who reaches what is decided by the traits of the user.
    logins: ['{{internal.logins}}']
    node_labels: { '*': '*' }
    app_labels: { '*': '*' }
    aws_role_arns: ['{{internal.aws_role_arns}}']
    db_labels: { '*': '*' }
    db_users: ['{{internal.db_users}}']
    db_names: ['{{internal.db_names}}']
    kubernetes_labels: { '*': '*' }
    kubernetes_users: ['{{internal.kubernetes_users}}']
    kubernetes_groups: ['{{internal.kubernetes_groups}}']
    kubernetes_resources:
      - { kind: pod, namespace: '*', name: '*' }
    windows_desktop_labels: { '*': '*' }
    windows_desktop_logins: ['{{internal.windows_logins}}']
    rules:
      # Recordings of sessions the user took part in.
      - resources: [session]
        verbs: [list, read]
        where: contains(session.participants, user.metadata.name)
`,
  editor: `kind: role
version: v6
metadata:
  name: editor
  description: Manage users, roles, connectors, clusters and resources
spec:
  allow:
    rules:
      - resources:
          - access_request
          - app
          - app_server
          - auth_connector
          - cluster_alert
          - connection_diagnostic
          - db
          - db_server
          - db_service
          - event
          - github
          - kube_cluster
          - kube_server
          - lock
          - node
          - oidc
          - role
          - saml
          - session
          - ssh_session
          - token
          - trusted_cluster
          - user
          - windows_desktop
          - windows_desktop_service
        verbs: ['*']
`,
  auditor: `kind: role
version: v6
metadata:
  name: auditor
  description: Read the audit log, see who is connected and play recordings
spec:
  allow:
    rules:
      - resources: [event, session, ssh_session]
        verbs: [list, read]
`,
};
