// Every HTTP route of the app, for the OpenAPI document: a function that is not here is found by a test.
import {
  answerApprovalRoute,
  listApprovalsRoute,
  showApprovalRoute,
} from "../approvals/approval-routes.ts";
import { eraseCaseRoute, investigateCaseRoute } from "../cases/case-routes.ts";
import { searchCasesRoute } from "../cases/search-cases.ts";
import { showCaseRoute } from "../cases/show-case.ts";
import { showTimeLineRoute } from "../cases/time-line.ts";
import { listArchivedRoute } from "../dead-letters/list-archived.ts";
import {
  groupDeadLettersRoute,
  listDeadLettersRoute,
  previewDeadLettersRoute,
} from "../dead-letters/list-dead-letters.ts";
import { archiveRoute, editRoute, resubmitRoute } from "../dead-letters/move.ts";
import { showDrainRoute, startDrainRoute, stopDrainRoute } from "../drain/drain-routes.ts";
import { giveGrantRoute, listGrantsRoute, revokeGrantRoute } from "../grants/grant-routes.ts";
import { listReviewsRoute } from "../reviews/list-reviews.ts";
import { confirmResolutionRoute, resolveReviewRoute } from "../reviews/resolution.ts";
import { showReviewRoute } from "../reviews/show-review.ts";
import type { Route } from "../route.ts";
import { showDoctorRoute } from "./doctor.ts";
import { listRecordsRoute } from "./list-records.ts";
import { listReportsRoute } from "./list-reports.ts";
import { openApiRoute } from "./open-api-route.ts";
import { showMeRoute } from "./show-me.ts";
import { showOverviewRoute } from "./show-overview.ts";
import { showQueuesRoute } from "./show-queues.ts";

export const operatorRoutes: readonly Omit<Route, "record">[] = [
  answerApprovalRoute,
  archiveRoute,
  confirmResolutionRoute,
  editRoute,
  eraseCaseRoute,
  giveGrantRoute,
  groupDeadLettersRoute,
  investigateCaseRoute,
  listApprovalsRoute,
  listArchivedRoute,
  listDeadLettersRoute,
  listGrantsRoute,
  listRecordsRoute,
  listReportsRoute,
  listReviewsRoute,
  openApiRoute,
  previewDeadLettersRoute,
  resolveReviewRoute,
  resubmitRoute,
  revokeGrantRoute,
  searchCasesRoute,
  showApprovalRoute,
  showCaseRoute,
  showDoctorRoute,
  showDrainRoute,
  showMeRoute,
  showOverviewRoute,
  showQueuesRoute,
  showReviewRoute,
  showTimeLineRoute,
  startDrainRoute,
  stopDrainRoute,
];
