package io.penstock.platform;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Every kind of error a client can meet. The name in lower case is the last segment of the problem's {@code type}. */
public enum ProblemType {
    INVALID_REQUEST(
            400,
            "The request is not valid",
            "Something in the request is outside its limits. Nothing was changed. `violations` names each field."),
    NOT_FOUND(404, "There is nothing here", "No resource has this path."),
    UNKNOWN_SKU(404, "Unknown SKU", "The ledger has no SKU of this number. Define it with PUT /v1/skus/{skuId}."),
    UNKNOWN_DEDUCTION(404, "Unknown deduction", "Neither the ledger nor Redis knows this deduct key of this SKU."),
    METHOD_NOT_ALLOWED(405, "Method not allowed", "The resource exists, but not for this method."),
    NOT_ACCEPTABLE(406, "Not acceptable", "The resource cannot be had in a media type that `Accept` allows."),
    SKU_CONFLICT(
            409,
            "The SKU is defined otherwise",
            "The SKU exists with another definition. A definition never changes; adjust its units instead."),
    INSUFFICIENT_STOCK(
            409,
            "Not enough stock",
            "Fewer units are left than were asked for. With `soldOut` true none was left in any bucket; a unit given back later can be bought again."),
    DEDUCTION_FINISHED(
            409,
            "The deduction is finished",
            "This deduct key was rolled back, cancelled or rejected and is never deducted again. A new order needs a new key."),
    SALE_PAUSED(
            409,
            "The sale is paused",
            "The SKU sells to no new deduct key for now. Known keys are still answered, and can be rolled back."),
    LAST_BUCKET(
            409,
            "It is the last bucket that sells",
            "A SKU keeps at least one ACTIVE bucket. Bring another one back first, or pause the sale."),
    NOT_BUCKETED(
            409,
            "The SKU has no buckets",
            "An unbucketed SKU, and one of a DB strategy, is one bucket for ever. Define a new SKU with buckets instead."),
    BODY_TOO_LARGE(413, "The body is too large", "A body may have at most 64 KiB."),
    UNSUPPORTED_MEDIA_TYPE(415, "Unsupported media type", "Send application/json."),
    DEDUCT_KEY_REUSED(
            422,
            "The deduct key was used with another quantity",
            "A deduct key names one deduction of one quantity. Nothing was changed."),
    ADJUSTMENT_KEY_REUSED(
            422,
            "The adjustment key was used with another delta",
            "An adjustment key names one adjustment. Nothing was changed."),
    OVERLOADED(
            429,
            "Too many requests at once",
            "A queue is full. Try again after `Retry-After` seconds with the same key: it decides."),
    INTERNAL(
            500,
            "Something went wrong here",
            "A fault of the service. Whether the request took effect is unknown; ask again with the same key."),
    STOCK_NOT_LOADED(
            503,
            "The stock is not loaded",
            "Redis has no stock of this SKU and it could not be loaded from the ledger in time. This is never read as zero. Try again with the same key."),
    UNAVAILABLE(
            503,
            "A server behind this one cannot be reached",
            "Whether the request took effect is unknown. Try again after `Retry-After` seconds with the same key: it decides.");

    private final int status;
    private final String title;
    private final String explanation;

    ProblemType(int status, String title, String explanation) {
        this.status = status;
        this.title = title;
        this.explanation = explanation;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** For people: what happened, whether anything changed, what to do. */
    public String explanation() {
        return explanation;
    }

    /** The name in its URI, such as {@code insufficient-stock}. */
    public String slug() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<ProblemType> ofSlug(String slug) {
        return Arrays.stream(values()).filter(type -> type.slug().equals(slug)).findFirst();
    }
}
