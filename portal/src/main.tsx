import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadHome } from './homes.tsx';
import { firstLanguage, I18nProvider } from './i18n/i18n.tsx';
import { createPortalRouter } from './router.tsx';
import { watchNetwork } from './session/connection.ts';
import { newTask } from './session/new-task.ts';
import { createQueryClient } from './session/query-client.ts';
import { prepareRequests } from './session/requests.ts';
import { sessionQuery, setFirstPage } from './session/session.ts';
import { applyDensity, applyTheme, isStoredDense, storedTheme } from './ui/theme.ts';

/** Pages without a session. */
const OPEN_PAGES = /^\/(sign-in|invitation)(\/|$)/;

applyTheme(storedTheme());
applyDensity(isStoredDense());
prepareRequests();
watchNetwork();
// The router loads the scripts of all other pages by their addresses.
setFirstPage((role) => (window.location.pathname === '/' ? loadHome(role) : null));
const queryClient = createQueryClient();
await newTask();
// Session, texts and the page's script are loaded at the same time, not one after another, while the rest starts.
if (!OPEN_PAGES.test(window.location.pathname)) void queryClient.prefetchQuery(sessionQuery);
const language = firstLanguage();
await newTask();
const router = createPortalRouter(queryClient);
await newTask();
for (const { routeId } of router.matchRoutes(router.latestLocation))
  void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);
/** The page of `index.html` stays until the router has something to show, at the latest until it shows a skeleton. */
const PENDING_MS = 1_000;
const pending = new Promise((resolve) => setTimeout(resolve, PENDING_MS));
const [first] = await Promise.all([language, Promise.race([router.load(), pending])]);
await newTask();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');

createRoot(root).render(
  <StrictMode>
    <I18nProvider first={first}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
