/** Runs before each test file with a page: does without what takes most of a page's time in tests and shows in none of them. */
import { configure, getConfig, prettyDOM } from '@testing-library/react';
import CssPropertyManager from 'happy-dom/lib/css/declaration/property-manager/CSSPropertyManager.js';
import * as React from 'react';

// Who looks for something by its role asks of each element, and of all around it, whether it can be seen. What the page knows of them is
// cloned for each; it is flat, and to clone it as if it were not takes longer than everything else that is asked.
CssPropertyManager.prototype.clone = function (this: CssPropertyManager) {
  const copy = new CssPropertyManager();
  for (const [name, property] of Object.entries(this.properties)) copy.properties[name] = { ...property };
  Object.assign(Reflect.get(copy, 'definedPropertyNames'), Reflect.get(this, 'definedPropertyNames'));
  return copy;
};

// In development React keeps with each element the stack of who made it, for warnings alone, until so many were made within a second.
const internals: unknown = Reflect.get(React, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE');
if (typeof internals === 'object' && internals !== null)
  Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
    get: () => Number.POSITIVE_INFINITY,
    set: () => {},
    configurable: true,
  });

// While something is waited for, each look that does not find it would draw the whole page into its error. When it was waited for in
// vain the page is drawn, and so it is where nothing waits.
configure({
  getElementError(message, container) {
    const isWaiting = Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics') === true;
    const error = new Error([message, isWaiting ? '' : prettyDOM(container)].filter(Boolean).join('\n\n'));
    error.name = 'TestingLibraryElementError';
    return error;
  },
});
