/** Windows desktops, as data. */
import { defineKind } from '../kind.ts';

export const desktopKind = defineKind({
  noun: 'desktop',
  path: 'desktops',
  acl: 'desktops',
  flag: 'desktops',
  sessionKind: 'desktop',
  joinRole: 'WindowsDesktop',
  eventFamily: 'desktops',
  rules: ['windows_desktop', 'windows_desktop_service'],
  labels: 'windows_desktop_labels',
  lockTarget: 'windows_desktop',
  principals: [
    {
      name: 'login',
      field: 'windows_desktop_logins',
      trait: 'windows_logins',
      required: true,
      login: true,
      main: true,
    },
  ],
  ignoresCase: 'always',
  recording: 'desktop',
  joinable: true,
  sortable: ['name', 'address'],
  nameField: 'desktop_name',
});
