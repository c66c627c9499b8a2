// The whole page: who you are and where, the menu, and the view of the section.
import { useEffect } from "preact/hooks";
import { Help } from "./keyboard/help.tsx";
import { helpIsOpen, listen } from "./keyboard/keys.ts";
import { Said } from "./parts/say.tsx";
import { goTo, linkIn, linkTo, place, sections, type Place } from "./place.ts";
import { sectionNames } from "./section-names.ts";
import { beginSession, hasPersonas, session, signInLink, signOutLink } from "./session.ts";
import type { Me } from "./api/shapes.ts";
import { chooseTheme, theme, type Theme } from "./theme.ts";
import { ApprovalView } from "./views/approvals/approval.tsx";
import { ApprovalsView } from "./views/approvals/approvals.tsx";
import { CasesView } from "./views/cases/cases.tsx";
import { CaseView } from "./views/cases/case.tsx";
import { DeadLettersView } from "./views/dead-letters/dead-letters.tsx";
import { GrantsView } from "./views/grants/grants.tsx";
import { OverviewView } from "./views/overview/overview.tsx";
import { RecordsView } from "./views/records.tsx";
import { ReportsView } from "./views/reports.tsx";
import { ReviewView } from "./views/reviews/review.tsx";
import { ReviewsView } from "./views/reviews/reviews.tsx";

export function App() {
  useEffect(() => {
    void beginSession();
    return listen();
  }, []);
  return (
    <>
      {/* A button, not a link: the fragment of the address says where the reader is. */}
      <button class="skip" type="button" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <Header />
      <main id="main" tabIndex={-1}>
        <Content />
      </main>
      <Said />
      <Help />
    </>
  );
}

function Header() {
  const { value } = session;
  return (
    <header>
      <div class="bar">
        <span class="brand">Countersign</span>
        {value.kind === "signedIn" && <Tenant me={value.me} />}
        <span class="grow" />
        <label class="inline">
          <span class="unseen">Colours</span>
          <select
            value={theme.value}
            onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
          >
            <option value="system">As the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <button type="button" onClick={() => (helpIsOpen.value = true)}>
          Keys <kbd>?</kbd>
        </button>
        {value.kind === "signedIn" && <Person me={value.me} />}
      </div>
      {value.kind === "signedIn" && <Menu />}
    </header>
  );
}

function Tenant({ me }: { me: Me }) {
  const { section, tenantId } = place.value;
  return (
    <label class="inline">
      <span class="unseen">Tenant</span>
      <select
        value={tenantId}
        onChange={(event) => goTo(linkIn(event.currentTarget.value, section))}
      >
        {me.tenants.map((one) => (
          <option key={one.tenantId} value={one.tenantId}>
            {one.tenantId}
          </option>
        ))}
      </select>
    </label>
  );
}

function Person({ me }: { me: Me }) {
  // The link's address tells where to come back to, so it follows the reader.
  const { tenantId } = place.value;
  const roles = me.tenants.find((one) => one.tenantId === tenantId)?.roles.join(", ");
  return (
    <span class="person">
      <span title={roles}>{me.name ?? me.id}</span>{" "}
      {hasPersonas.value ? (
        <a href={signInLink()}>Switch persona</a>
      ) : (
        <a href={signOutLink}>Sign out</a>
      )}
    </span>
  );
}

function Menu() {
  const { section: here } = place.value;
  return (
    <nav aria-label="Sections">
      {sections.map((section) => (
        <a
          key={section}
          href={linkTo(section)}
          {...(section === here ? { "aria-current": "page" as const } : {})}
        >
          {sectionNames[section]}
        </a>
      ))}
    </nav>
  );
}

function Content() {
  const { value } = session;
  switch (value.kind) {
    case "asking":
      return <p class="faint">Reading …</p>;
    case "failed":
      return <p class="note bad">{value.detail}</p>;
    case "signedOut":
      return (
        <p>
          You are not signed in. <a href={signInLink()}>Sign in</a>
        </p>
      );
    case "signedIn":
      return <Allowed me={value.me} />;
  }
}

function Allowed({ me }: { me: Me }) {
  const { tenantId } = place.value;
  if (me.tenants.length === 0) {
    return <p class="note bad">You are signed in, and have no role in any tenant. Ask an admin.</p>;
  }
  if (me.tenants.some((one) => one.tenantId === tenantId))
    return <View key={tenantId} {...place.value} />;
  // Until one is chosen, which is done at once.
  if (tenantId === "") return <p class="faint">Reading …</p>;
  return (
    <p class="note bad">
      You have no role in the tenant {tenantId}. Choose one of yours at the top, or ask an admin.
    </p>
  );
}

function View({ rest: [first, second], section }: Place) {
  switch (section) {
    case "reviews":
      return first !== undefined && second !== undefined ? (
        <ReviewView caseId={first} reviewId={second} />
      ) : (
        <ReviewsView />
      );
    case "approvals":
      return first !== undefined && second !== undefined ? (
        <ApprovalView caseId={first} approvalId={second} />
      ) : (
        <ApprovalsView />
      );
    case "cases":
      return first === undefined ? <CasesView /> : <CaseView caseId={first} />;
    case "dead-letters":
      return <DeadLettersView />;
    case "reports":
      return <ReportsView />;
    case "grants":
      return <GrantsView />;
    case "overview":
      return <OverviewView />;
    case "records":
      return <RecordsView />;
  }
}
