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

export const operatorRoutes: readonly Omit<Route, "record">[] = [
  answerApprovalRoute,
  confirmResolutionRoute,
  eraseCaseRoute,
  giveGrantRoute,
  investigateCaseRoute,
  listApprovalsRoute,
  listGrantsRoute,
  listRecordsRoute,
  listReportsRoute,
  listReviewsRoute,
  openApiRoute,
  resolveReviewRoute,
  revokeGrantRoute,
  searchCasesRoute,
  showApprovalRoute,
  showCaseRoute,
  showDoctorRoute,
  showDrainRoute,
  showMeRoute,
  showOverviewRoute,
  showReviewRoute,
  showTimeLineRoute,
  startDrainRoute,
  stopDrainRoute,
];
